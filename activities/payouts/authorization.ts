import { refuse } from '#domain/core/errors.ts'
import type { Hex } from '#domain/core/ids.ts'
import { authorizeAudience } from '#domain/payouts/holder-binding.ts'
import { type PrincipalTerms, requestSha256 } from '#domain/payouts/principal-authorization.ts'
import { verifyChallengeToken } from '../keys/challenge.ts'
import type { VerifyWalletMessage } from '../keys/key-binding.ts'
import type { KeyRings } from '../keys/key-ring.ts'
import { currentAnchors, type KeyStatus, readKeyStatus } from '../keys/key-status.ts'
import { verifyPresentation } from '../keys/presentation.ts'
import { verifyPrincipalSignature } from '../keys/principal-signature.ts'
import type { TrustAnchor } from '../keys/trust-anchors.ts'
import { findConsumed, type ReplayKey } from '../store/calls/replay-ledger.ts'
import { isMandateRevoked } from '../store/payouts/mandates.ts'
import type { PayoutRow } from '../store/payouts/payouts.ts'
import type { Tx } from '../store/postgres/db.ts'
import { assertLife, revokedMandate } from './rules.ts'

/** The keys and identities that may authorize a payout. */
export type PayoutAuthority = {
  readonly keys: Pick<KeyRings, 'authority' | 'checkout'>
  readonly anchors: readonly TrustAnchor[]
  readonly origin: string
  readonly treasuryHolder: string
  readonly treasuryPrincipal: string
  readonly verifyWalletMessage: VerifyWalletMessage
}

/** The status of the keys that verify an authorization. */
export const readAuthorityKeyStatus = (
  { keys }: Pick<PayoutAuthority, 'keys'>,
  tx: Tx,
): Promise<KeyStatus> => readKeyStatus(tx, keys, ['authority', 'checkout'])

/** The input of an authorize call, stored in the row of the call for the workflow step. */
export type AuthorizeInput = {
  payout_id: string
  idempotency_key: string
  presentation: string
  challenge_token: string
  expires_at: number
  principal_signature: string
}

const PRESENT_ANOTHER = 'Request a new challenge and mandate, and present those.'

const consumedCodes = {
  presentation: 'presentation_consumed',
  kb_nonce: 'presentation_consumed',
  principal_digest: 'presentation_consumed',
  challenge_jti: 'challenge_consumed',
  mandate: 'mandate_consumed',
} as const

/** The refusal for a replay key that was used before. */
export const consumed = (kind: keyof typeof consumedCodes) =>
  refuse(consumedCodes[kind], {
    detail: 'it was used before',
    next_action: PRESENT_ANOTHER,
  })

/** The exact terms that holder and principal commit to, for this authorize call. */
export function principalTermsOf(
  row: Pick<PayoutRow, 'payout_id' | 'payout_wallet' | 'recipient' | 'amount_atomic' | 'asset'>,
  expiresAt: number,
  idempotencyKey: string,
): PrincipalTerms {
  const {
    payout_id: payoutId,
    payout_wallet: payoutWallet,
    recipient,
    amount_atomic: amountAtomic,
    asset,
  } = row
  return { payoutId, payoutWallet, recipient, amountAtomic, expiresAt, idempotencyKey, asset }
}

type AuthorizationRules = {
  authority: PayoutAuthority
  keyStatus: KeyStatus
  lifeSecondsMin: number
}

/**
 * All checks of authorize before it writes, in this order: challenge, presentation, principal. Returns the replay keys that the
 * authorizing transaction must consume.
 */
export async function verifyAuthorization(
  { authority, keyStatus, lifeSecondsMin }: AuthorizationRules,
  tx: Tx,
  row: PayoutRow,
  input: AuthorizeInput,
  nowSeconds: number,
): Promise<{ keys: ReplayKey[]; mandateRef: string }> {
  const { anchors, origin, treasuryHolder, treasuryPrincipal, verifyWalletMessage } = authority
  assertLife(
    { expiresAt: input.expires_at, now: nowSeconds, lifeSecondsMin },
    'Authorize with a later expires_at.',
  )
  const terms = principalTermsOf(row, input.expires_at, input.idempotency_key)
  const challenge = verifyChallengeToken(input.challenge_token, {
    authorityKeys: keyStatus.verifiers('authority'),
    origin,
    nowSeconds,
    treasuryHolder,
  })
  const bound = await verifyPresentation({
    presentation: input.presentation,
    challenge,
    audience: authorizeAudience(origin),
    nowSeconds,
    anchors: currentAnchors(anchors, origin, keyStatus),
    checkoutKeys: keyStatus.verifiers('checkout'),
    requestSha256: requestSha256(terms),
    verifyWalletMessage,
    assertUnused: async (proven) => {
      const used = await findConsumed(tx, replayKeys(challenge.jti, proven), row.payout_id)
      if (used !== undefined) throw consumed(used)
      const key = mandateReplayKey(proven.mandateIssuer, proven.mandateJti)
      if (await isMandateRevoked(tx, proven.mandateJti, key)) throw revokedMandate(PRESENT_ANOTHER)
    },
  })
  const digest = verifyPrincipalSignature(
    terms,
    input.principal_signature as Hex,
    treasuryPrincipal,
  )
  return {
    keys: [...replayKeys(challenge.jti, bound), { kind: 'principal_digest', key: digest }],
    mandateRef: bound.mandateRef,
  }
}

/** Under which a mandate is used once, whatever its presentation. */
export const mandateReplayKey = (issuer: string, jti: string): string => `${issuer}|${jti}`

type Proven = { mandateIssuer: string; mandateJti: string; kbNonce: string }

/** Never keyed on signature bytes or the presentation's text, which can be varied without losing their meaning. */
function replayKeys(
  challengeJti: string,
  { mandateIssuer, mandateJti, kbNonce }: Proven,
): ReplayKey[] {
  const mandate = mandateReplayKey(mandateIssuer, mandateJti)
  return [
    { kind: 'presentation', key: `${mandate}|${kbNonce}` },
    { kind: 'challenge_jti', key: challengeJti },
    { kind: 'mandate', key: mandate },
    { kind: 'kb_nonce', key: kbNonce },
  ]
}
