import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { KeyId, ServiceKey } from './shapes.ts'

/** POST /api/operator/keys, mode `retire_key`: what it signed stays valid until its own expiry. */
export const retireKey = operation({
  id: 'keys-retire',
  summary:
    'End a signing key: what it signed up to now stays valid, and another key of its ring signs from now on.',
  http: { method: 'POST', path: '/api/operator/keys', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('retire_key'),
    kid: KeyId,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ key: ServiceKey, receipt: Receipt }).meta({ id: 'RetiredKey' }),
  handle: async ({ kid, reason }, context) => ({
    body: await context.keys.retire(operatorOf(context), { kid, reason }, context.callId),
  }),
})
