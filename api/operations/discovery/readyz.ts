import { z } from 'zod'
import { operation } from '../../operation.ts'
import type { HealthCommands } from '../../registry/documents.ts'

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
    const ready = await context.health.ready()
    const body = (await context.sent.isInsider?.()) ? ready : withoutDetails(ready)
    return { status: body.ok ? 200 : 503, body }
  },
})

type Readiness = Awaited<ReturnType<HealthCommands['ready']>>

/** What others see: which part is well. Counts, wallets and the reasons of pauses are for this machine and for operators. */
function withoutDetails({ ok, checks }: Readiness): Readiness {
  const plain = Object.entries(checks).map(([name, check]) => [
    name,
    { ok: check.ok, detail: check.ok ? 'well' : 'not well' },
  ])
  return { ok, checks: Object.fromEntries(plain) }
}
