import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorOf } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { KeyId, ServiceKey } from './shapes.ts'

/** POST /api/operator/keys, mode `revoke_key`: its challenges, mandates and checkouts are refused at once. */
export const revokeKey = operation({
  id: 'keys-revoke',
  summary:
    'Revoke a stolen signing key: what it signed is refused, but for receipts that are on record.',
  http: { method: 'POST', path: '/api/operator/keys', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('revoke_key'),
    kid: KeyId,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ key: ServiceKey, receipt: Receipt }).meta({ id: 'RevokedKey' }),
  handle: async ({ kid, reason }, context) => ({
    body: await context.keys.revoke(operatorOf(context), { kid, reason }, context.callId),
  }),
})
