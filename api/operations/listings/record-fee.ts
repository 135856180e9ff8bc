import { z } from 'zod'
import { badgeEvents } from '#domain/agents/listing.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Context } from '../../context.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { ReferenceId, WalletId } from '../payments/shapes.ts'
import { LISTING_PATH, Listing, ListingId, PlanId } from './shapes.ts'

/** POST /api/trust-listing-path, mode `record_trust_badge_fee_event`: the ledger decides whether an event is true, for operators too. */
export const recordTrustBadgeFeeEvent = operation({
  id: 'record-trust-badge-fee-event',
  summary:
    'Record that the fee of a badge was presented or is settled, or as an operator that it lapsed or was refunded.',
  http: { method: 'POST', path: LISTING_PATH, host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['listings:write'] },
  errors: [
    'not_found',
    'not_owner',
    'wrong_state',
    'quote_mismatch',
    'quote_expired',
    'challenge_expired',
    'payment_pending',
    'already_funded',
    'credit_exhausted',
    'wallet_underfunded',
    'control_denied',
    'trust_required',
    'paused',
  ],
  input: z.strictObject({
    mode: z.literal('record_trust_badge_fee_event'),
    trust_listing_id: ListingId,
    commercial_plan_id: PlanId,
    event: z.enum(badgeEvents),
    payment_reference_id: ReferenceId.optional(),
    wallet_id: WalletId.optional().meta({
      description: 'With settled: your allowance wallet, which pays now; needs wallets:write.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ listing: Listing, receipt: Receipt }).meta({ id: 'RecordedBadgeFee' }),
  handle: async (given, context) => {
    const { caller, callId } = context
    if (given.wallet_id !== undefined) assertMayPay(context)
    const asked = {
      actor: caller.id,
      agentId: caller.kind === 'operator' ? undefined : (agentIdOf(context) ?? ''),
      listingId: given.trust_listing_id,
      planId: given.commercial_plan_id,
      event: given.event,
      paymentReferenceId: given.payment_reference_id,
      walletId: given.wallet_id,
    }
    return { body: await context.listings.record({ ...asked, callId }) }
  },
})

/** Only the agent of a wallet pays from it, with a credential that may. */
function assertMayPay({ caller }: Context): void {
  if (caller.kind === 'agent' && caller.credential.scopes.includes('wallets:write')) return
  throw refuse('scope_denied', { detail: 'paying from a wallet needs wallets:write of its agent' })
}
