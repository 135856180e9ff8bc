import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /readyz: the state of each dependency; 503 with the same body when one of them is not well. */
export const readyz = operation({
  id: 'readyz',
  summary: 'Whether Postgres, Temporal, workers, chain and clock are well, each with its state.',
  http: { method: 'GET', path: '/readyz', host: 'both', unlimited: true },
  access: 'public',
  status: [200, 503],
  output: z
    .object({
      ok: z.boolean(),
      checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
    })
    .meta({ id: 'Readiness' }),
  handle: async (_input, context) => {
    const body = await context.health.ready()
    return { status: body.ok ? 200 : 503, body }
  },
})
