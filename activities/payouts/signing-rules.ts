import { payoutId as payoutIdOf, transferNonce } from '#domain/core/ids.ts'
import { termsDigest } from '#domain/payouts/payout.ts'
import { principalDigest } from '#domain/payouts/principal-authorization.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import type { PayoutRow, TransferRow } from '../store/payouts/payouts.ts'
import { principalTermsOf } from './authorization.ts'
import type { Canary } from './canary-settings.ts'

/** The limits of a signer, from its configuration only and never from stored rows. */
export type SigningPolicy = {
  readonly asset: `0x${string}`
  readonly payoutWallet: `0x${string}`
  readonly principal: `0x${string}`
  readonly payoutMaxAtomic: bigint
  readonly dailyCapAtomic: bigint
  readonly canary: Canary | undefined
}

/** The columns that a signer's checks read. */
type SignedPayout = Pick<
  PayoutRow,
  | 'payout_id'
  | 'creator'
  | 'idempotency_key'
  | 'state'
  | 'asset'
  | 'payout_wallet'
  | 'recipient'
  | 'amount_atomic'
  | 'memo'
  | 'rail_reference'
  | 'usage'
  | 'terms_sha256'
  | 'expires_at'
  | 'principal_signature'
  | 'authorize_idempotency_key'
>
export type SignedTransfer = Pick<
  TransferRow,
  'payout_id' | 'wallet' | 'recipient' | 'amount_atomic' | 'nonce' | 'valid_after' | 'valid_before'
>

/** A transfer to sign: its rows, and the use of the daily cap including this transfer. */
export type SigningOrder = {
  readonly payout: SignedPayout
  readonly transfer: SignedTransfer
  readonly inUse: bigint
}

/**
 * Why a signer withholds its signature; undefined if it signs. Everything is computed again from the rows; `now` is the signer's
 * own clock in Unix seconds.
 */
export function withheldBecause(
  order: SigningOrder,
  policy: SigningPolicy,
  now: number,
): string | undefined {
  return (
    termsFault(order, policy) ??
    limitFault(order, policy, now) ??
    authorityFault(order.payout, policy, now)
  )
}

function termsFault({ payout, transfer }: SigningOrder, policy: SigningPolicy): string | undefined {
  const {
    payout_id,
    creator,
    idempotency_key,
    asset,
    payout_wallet,
    recipient,
    amount_atomic,
    expires_at,
  } = payout
  if (asset !== policy.asset) return 'the payout is of another asset than this signer serves'
  if (payout_wallet !== policy.payoutWallet)
    return 'the payout is from another wallet than this signer serves'
  const isSame =
    payout.state === 'authorized' &&
    payout_id === payoutIdOf(creator, idempotency_key) &&
    payout.terms_sha256 === termsDigest(payout) &&
    transfer.payout_id === payout_id &&
    transfer.wallet === payout_wallet &&
    transfer.recipient === recipient &&
    transfer.amount_atomic === amount_atomic &&
    transfer.nonce === transferNonce(policy.asset, payout_id) &&
    transfer.valid_after === '0' &&
    transfer.valid_before === expires_at
  return isSame ? undefined : 'the stored transfer is not that of its authorized payout'
}

function limitFault(
  { payout, inUse }: SigningOrder,
  policy: SigningPolicy,
  now: number,
): string | undefined {
  const amount = BigInt(payout.amount_atomic)
  if (Number(payout.expires_at) <= now) return 'the authorization has expired'
  if (amount <= 0n || amount > policy.payoutMaxAtomic)
    return `${amount} is not within ${policy.payoutMaxAtomic} atomic units, what this signer signs at most`
  if (inUse > policy.dailyCapAtomic)
    return `with this transfer ${inUse} of ${policy.dailyCapAtomic} atomic units of this signer's day are in use`
  return undefined
}

function authorityFault(
  payout: SignedPayout,
  policy: SigningPolicy,
  now: number,
): string | undefined {
  const { principal_signature, expires_at, authorize_idempotency_key } = payout
  if (isConfiguredCanary(payout, policy.canary, now)) return undefined
  if (principal_signature === null || authorize_idempotency_key === null)
    return 'no signature of the treasury principal is stored with the payout'
  const terms = principalTermsOf(payout, Number(expires_at), authorize_idempotency_key)
  if (
    recoverSigner(principalDigest(terms), principal_signature as `0x${string}`) === policy.principal
  )
    return undefined
  return 'the stored signature is not one of the configured treasury principal over these terms'
}

const DAY_MS = 24 * 3600 * 1000

/** Whether the payout is the configured canary of today or yesterday: its recipient, amount and date. */
const isConfiguredCanary = (
  payout: SignedPayout,
  canary: Canary | undefined,
  now: number,
): boolean =>
  payout.payout_id === payoutIdOf(payout.creator, payout.idempotency_key) &&
  isCanaryOf(payout, canary, now)

/** The same by the id of the payout, which its creator and key make. */
export function isCanaryOf(
  payout: Pick<
    SignedPayout,
    'payout_id' | 'creator' | 'payout_wallet' | 'recipient' | 'amount_atomic'
  >,
  canary: Canary | undefined,
  now: number,
): boolean {
  const ids = [now * 1000, now * 1000 - DAY_MS].map((ms) =>
    payoutIdOf(payout.creator, `canary-${new Date(ms).toISOString().slice(0, 10)}`),
  )
  return (
    canary !== undefined &&
    payout.creator === payout.payout_wallet &&
    payout.recipient === canary.recipient &&
    BigInt(payout.amount_atomic) <= canary.amountAtomic &&
    ids.includes(payout.payout_id)
  )
}
