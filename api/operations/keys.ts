import { z } from 'zod'
import { callerIn } from '../caller.ts'
import { freeText, IdempotencyKey } from '../fields.ts'
import { operation } from '../operation.ts'
import { KeyId, ServiceKey, ServiceKeyRotation } from '../shapes/keys.ts'
import { Receipt } from '../shapes/receipts.ts'

const PATH = '/api/operator/keys'
/** What an operator does to one key. */
const onKey = {
  http: { method: 'POST', path: PATH, host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
} as const
const keyFields = { kid: KeyId, reason: freeText(500, 1), idempotency_key: IdempotencyKey }

/** GET /api/operator/keys: every signing key with its state, oldest first, and the rotations. */
const listKeys = operation({
  id: 'keys-list',
  summary:
    'List every signing key of the service with its standing, and their rotations; answers with a signed receipt.',
  http: { method: 'GET', path: PATH, host: 'base' },
  access: 'operator',
  output: z
    .strictObject({
      keys: z.array(ServiceKey),
      rotations: z
        .array(ServiceKeyRotation)
        .meta({ description: 'Those that are not done, then the last that are; at most 50.' }),
      receipt: Receipt,
    })
    .meta({ id: 'ServiceKeys' }),
  handle: async (_input, context) => ({
    body: await context.keys.list(callerIn(context).operator),
  }),
})

/** POST /api/operator/keys, mode `publish_keys`: no key comes over the wire; the process reads its own file again. */
const publishKeys = operation({
  id: 'keys-publish',
  summary:
    'Publish the keys that were added to the file of signing keys, and sign with them from then on.',
  http: { method: 'POST', path: PATH, host: 'base' },
  access: 'operator',
  errors: ['wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('publish_keys'),
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ published: z.array(ServiceKey), receipt: Receipt })
    .meta({ id: 'PublishedKeys' }),
  handle: async ({ reason }, context) => ({
    body: await context.keys.publish(callerIn(context).namedOperator, { reason }, context.callId),
  }),
})

/** POST /api/operator/keys, mode `retire_key`: what it signed stays valid until its own expiry. */
const retireKey = operation({
  id: 'keys-retire',
  summary:
    'End a signing key: what it signed up to now stays valid, and another key of its ring signs from now on.',
  ...onKey,
  input: z.strictObject({ mode: z.literal('retire_key'), ...keyFields }),
  output: z.strictObject({ key: ServiceKey, receipt: Receipt }).meta({ id: 'RetiredKey' }),
  handle: async ({ kid, reason }, context) => ({
    body: await context.keys.retire(
      callerIn(context).namedOperator,
      { kid, reason },
      context.callId,
    ),
  }),
})

/** POST /api/operator/keys, mode `revoke_key`: its challenges, mandates and checkouts are refused at once. */
const revokeKey = operation({
  id: 'keys-revoke',
  summary:
    'Revoke a stolen signing key: what it signed is refused, but for receipts that are on record.',
  ...onKey,
  input: z.strictObject({ mode: z.literal('revoke_key'), ...keyFields }),
  output: z.strictObject({ key: ServiceKey, receipt: Receipt }).meta({ id: 'RevokedKey' }),
  handle: async ({ kid, reason }, context) => ({
    body: await context.keys.revoke(
      callerIn(context).namedOperator,
      { kid, reason },
      context.callId,
    ),
  }),
})

/** What operators do to the service's signing keys. */
export const keys = [listKeys, publishKeys, retireKey, revokeKey] as const
