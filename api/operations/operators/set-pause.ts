import { z } from 'zod'
import { controlScopes } from '#domain/payouts/controls.ts'
import { freeText, IdempotencyKey, Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from './caller.ts'
import { Receipt } from './receipt.ts'

/** POST /api/os-security-hardening: stops new reservations, quotes and runs; what has begun continues. */
export const setPause = operation({
  id: 'pause-set',
  summary:
    'Pause or resume everything, the payout rail, one wallet, payout, rail or agent; answers with a signed receipt.',
  http: { method: 'POST', path: '/api/os-security-hardening', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'forbidden_material'],
  input: z.strictObject({
    scope: z.enum(controlScopes),
    target: text(0, 80).optional(),
    paused: z.boolean(),
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      control: z.strictObject({
        scope: z.enum(controlScopes),
        target: z.string().nullable(),
        paused: z.boolean(),
        reason: z.string(),
        operator: z.strictObject({ operator_id: z.string(), name: z.string() }),
        changed_at: Time,
      }),
      affected: z.strictObject({ tasks: z.int(), payouts: z.int() }),
      receipt: Receipt,
    })
    .meta({ id: 'ControlChange' }),
  handle: async ({ idempotency_key, ...input }, context) => {
    const actor = { ...operatorOf(context), idempotencyKey: idempotency_key }
    return { body: await context.controls.set(actor, input, context.callId) }
  },
})
