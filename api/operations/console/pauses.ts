import { z } from 'zod'
import { controlScopes } from '#domain/payouts/controls.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'

const shared = {
  scope: z.enum(controlScopes),
  target: z.string().nullable(),
  reason: z.string(),
  operator_name: z.string(),
  changed_at: Time,
}

/** GET /api/operator/pauses: what is paused now, and the last 50 changes. */
export const pauses = operation({
  id: 'pauses',
  summary: 'Read what is paused now, by whom and why, and the latest changes.',
  http: { method: 'GET', path: '/api/operator/pauses', host: 'base' },
  access: 'operator',
  output: z
    .strictObject({
      active: z.array(z.strictObject(shared).meta({ id: 'ActivePause' })),
      changes: z.array(
        z
          .strictObject({
            ...shared,
            change_id: z.string(),
            paused: z.boolean(),
            receipt_id: z.string(),
          })
          .meta({ id: 'PauseChange' }),
      ),
    })
    .meta({ id: 'Pauses' }),
  handle: async (_input, context) => ({ body: await context.switches.pauses() }),
})
