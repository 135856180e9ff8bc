import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /healthz: the process answers; asks no dependency. */
export const healthz = operation({
  id: 'healthz',
  summary: 'Whether this process answers.',
  http: { method: 'GET', path: '/healthz', host: 'both', unlimited: true },
  access: 'public',
  output: z.object({ ok: z.literal(true) }),
  handle: async () => ({ body: { ok: true as const } }),
})
