import { z } from 'zod'
import { operation } from '../../operation.ts'
import type { HealthCommands } from '../../shapes/documents.ts'

/** GET /healthz: the process answers; asks no dependency. */
export const healthz = operation({
  id: 'healthz',
  summary: 'Whether this process answers.',
  http: { method: 'GET', path: '/healthz', host: 'both', unlimited: true },
  access: 'public',
  output: z.object({ ok: z.literal(true) }),
  handle: async () => ({ body: { ok: true as const } }),
})

/** GET /readyz: the state of each dependency; 503 with the same body when one is not well that all calls need, or payouts if asked for. */
export const readyz = operation({
  id: 'readyz',
  summary: 'Whether each dependency is well; ?for=payouts asks for all that payouts need.',
  http: { method: 'GET', path: '/readyz', host: 'both', unlimited: true },
  access: 'public',
  status: [200, 503],
  input: z.strictObject({
    for: z.enum(['payouts']).optional().meta({
      description:
        'What has to work: payouts also need the chain and the signer; empty: runs and reads.',
    }),
  }),
  output: z
    .object({
      ok: z.boolean(),
      degraded: z.array(z.string()),
      checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
    })
    .meta({ id: 'Readiness' }),
  handle: async (input, context) => {
    const ready = await context.health.ready(input.for)
    const body = (await context.sent.isInsider?.()) ? ready : withoutDetails(ready)
    return { status: body.ok ? 200 : 503, body }
  },
})

type Readiness = Awaited<ReturnType<HealthCommands['ready']>>

/** What others see: which part is well. Counts, wallets and the reasons of pauses are for this machine and for operators. */
function withoutDetails({ ok, degraded, checks }: Readiness): Readiness {
  const plain = Object.entries(checks).map(([name, check]) => [
    name,
    { ok: check.ok, detail: check.ok ? 'well' : 'not well' },
  ])
  return { ok, degraded, checks: Object.fromEntries(plain) }
}
