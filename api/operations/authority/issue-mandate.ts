import { z } from 'zod'
import { Ap2Asked } from '#domain/ap2/terms.ts'
import type { Context } from '../../context.ts'
import {
  Address,
  AtomicAmount,
  Digest,
  ExpiresAt,
  encodedText,
  IdempotencyKey,
  PayoutId,
  UsdcAmount,
  WalletSignature,
} from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { DraftId, IssuedAp2, IssuedAuthority } from './shapes.ts'
import { termsAsked } from './terms.ts'

const forPayout = z.strictObject({
  payout: z.strictObject({
    payout_id: PayoutId,
    expires_at: ExpiresAt,
    authorize_idempotency_key: IdempotencyKey,
  }),
  checkout_jwt: encodedText(8192),
  holder_proof: z.strictObject({
    binding_version: z.union([z.literal(1), z.literal(2)]),
    holder_wallet: Address,
    signature: WalletSignature,
  }),
  idempotency_key: IdempotencyKey,
})

/** Screened as a whole: names, titles and the members that AP2 leaves open are signed as they were sent. */
const Ap2Terms = Ap2Asked.meta({ 'x-free-text': true })

const action = z.union([
  z.strictObject({ draft_id: DraftId, idempotency_key: IdempotencyKey }),
  z.strictObject({ ...termsAsked, idempotency_key: IdempotencyKey }),
  forPayout,
  z.strictObject({ ap2: Ap2Terms, idempotency_key: IdempotencyKey }),
])
type Asked = z.output<typeof action>

const IssuedForPayout = z
  .looseObject({
    mandate_id: z.string(),
    ap2_mandate: z.string(),
    request_sha256: Digest,
    recipient: Address,
    amount_usdc: UsdcAmount,
    amount_atomic: AtomicAmount,
    expires_at: z.int().meta({ description: 'Unix seconds.' }),
    receipt: z.string(),
  })
  .meta({ id: 'IssuedMandate' })

async function issue(asked: Asked, context: Context) {
  const operator = callingOperator(context)
  if ('payout' in asked) return context.authority.issueMandate(operator, asked)
  if ('ap2' in asked) return context.mandates.issueAp2(operator, asked)
  if ('draft_id' in asked) return context.mandates.issue(operator, asked)
  const { idempotency_key, ...terms } = asked
  return context.mandates.issue(operator, { idempotency_key, terms })
}

/** POST /api/delegated-authority, mode `issue_mandate`. */
export const issueMandate = operation({
  id: 'issue-mandate',
  summary:
    'Issue a mandate of authority for an agent, open mandates of AP2 for its payments, or the mandate that a treasury holder presents for one created payout.',
  http: { method: 'POST', path: '/api/delegated-authority', host: 'base' },
  access: 'operator',
  status: [201],
  errors: [
    'not_found',
    'wrong_state',
    'holder_unknown',
    'authority_denied',
    'request_digest_mismatch',
    'challenge_expired',
    'payout_expired',
    'limits_invalid',
    'forbidden_material',
  ],
  idempotency: { kind: 'body', key: (input) => input.action.idempotency_key },
  input: z.strictObject({ mode: z.literal('issue_mandate'), action }),
  output: z.union([IssuedAuthority, IssuedAp2, IssuedForPayout]),
  handle: async ({ action }, context) => ({ body: await issue(action, context) }),
})
