import { sha256Hex } from '#domain/core/canonical-json.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { principalDigest } from '#domain/payouts/principal-authorization.ts'
import type { PayoutReceiptKind, SignProof } from '#domain/receipts/receipt.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import { principalTermsOf } from '../payouts/authorization.ts'
import { isCanaryOf, type SigningPolicy } from '../payouts/signing-rules.ts'

/** Who asks: each has a socket of its own. */
export const sides = ['api', 'worker'] as const
export type Side = (typeof sides)[number]

type Claims = Readonly<Record<string, unknown>>
/** What receipts are judged by: the caller, its proof, our own earlier receipts, and the principal of payouts. */
export type ReceiptFacts = {
  readonly side: Side
  readonly nowSeconds: number
  readonly proof: SignProof
  /** The claims of a receipt that a key of the ring signed; undefined for any other text. */
  readonly claimsOfOurs: (jws: string) => Claims | undefined
  readonly payouts: Pick<SigningPolicy, 'asset' | 'payoutWallet' | 'principal' | 'canary'>
}

type ReceiptRule = {
  readonly subject: RegExp
  readonly by?: Side
  /** The kind that comes before it in the chain of its subject; null: none. */
  readonly after?: PayoutReceiptKind | null
  /** The treasury principal has signed these terms. */
  readonly principal?: true
}
const ofPayout = { subject: /^po_[0-9a-f]{64}$/, by: 'worker' } as const

/**
 * The kinds of receipts that have a subject of their own or one caller. All other kinds are records, which both sockets get, about
 * any subject that no kind here has.
 */
const receiptRules: Readonly<Record<string, ReceiptRule>> = {
  payout_created: { ...ofPayout, after: null },
  payout_authorized: { ...ofPayout, after: 'payout_created', principal: true },
  payout_executed: { ...ofPayout, after: 'payout_authorized', principal: true },
  payout_final: { ...ofPayout, after: 'payout_executed' },
  payout_dead: { ...ofPayout, after: 'payout_authorized' },
  payout_voided: { ...ofPayout, after: 'payout_executed' },
  attestation: { subject: /^(run_|task-)[0-9a-f]{64}$/ },
  delegated_action: { subject: /^da_[0-9a-f]{64}$/, by: 'worker' },
  authority_decision: { subject: /^dec_[0-9a-f]{64}$/, by: 'api' },
  review_decision: { subject: /^dec_[0-9a-f]{64}$/, by: 'api' },
}

/** What a payout’s receipts repeat of the one before. */
const standing = [
  'payout_id',
  'creator',
  'recipient',
  'amount_atomic',
  'chain_id',
  'asset',
  'payout_wallet',
  'terms_sha256',
  'usage',
] as const

/** Why a receipt is refused, by everything that can be verified without a database and a chain; undefined where it is signed. */
export function receiptRefusal(claims: Claims, facts: ReceiptFacts): string | undefined {
  const { sub, kind } = claims
  const known = Object.hasOwn(receiptRules, String(kind)) ? receiptRules[String(kind)] : undefined
  const subject = String(sub)
  const isReserved = Object.values(receiptRules).some((rule) => rule.subject.test(subject))
  if (known === undefined)
    return isReserved ? `no receipt of this kind is about ${subject}` : chainFault(claims, facts)
  if (!known.subject.test(subject)) return `a receipt of this kind is not about ${subject}`
  if (known.by !== undefined && known.by !== facts.side)
    return `this socket gets no ${String(kind)}`
  return (
    chainFault(claims, facts, known.after) ??
    (known.principal === true ? principalFault(claims, facts) : undefined)
  )
}

/** The receipt before this one in the chain of its subject is ours, is named by its digest, and is of the kind that comes before. */
function chainFault(
  claims: Claims,
  { proof, claimsOfOurs }: ReceiptFacts,
  after?: PayoutReceiptKind | null,
): string | undefined {
  const { prev = null } = claims
  if (prev === null) return after == null ? undefined : `it comes after ${after}`
  if (after === null) return 'it is the first of its chain'
  const { previous } = proof
  if (previous === undefined || sha256Hex(previous) !== prev)
    return 'the receipt before it does not come with it'
  const before = claimsOfOurs(previous)
  const follows =
    before !== undefined && before['sub'] === claims['sub'] && before['iss'] === claims['iss']
  if (!follows || Number(before['iat']) > Number(claims['iat']))
    return 'the receipt before it is none of this subject and service'
  if (after === undefined) return undefined
  if (before['kind'] !== after) return `it comes after ${after}`
  return standing.every((name) => before[name] === claims[name])
    ? undefined
    : 'it says something else than the receipt before it'
}

/** The terms of the receipt have the signature of the configured principal, or are those of the configured canary. */
function principalFault(
  claims: Claims,
  { nowSeconds, proof, payouts }: ReceiptFacts,
): string | undefined {
  const named = (name: string) => String(claims[name])
  const [asset, payout_wallet, recipient] = ['asset', 'payout_wallet', 'recipient'].map(named)
  const terms = {
    payout_id: named('payout_id'),
    amount_atomic: named('amount_atomic'),
    payout_wallet: payout_wallet as string,
    recipient: recipient as string,
    asset: asset as string,
  }
  const isOurs =
    terms.payout_id === claims['sub'] &&
    asset === payouts.asset &&
    payout_wallet === payouts.payoutWallet &&
    claims['chain_id'] === CHAIN_ID &&
    /^[1-9][0-9]{0,30}$/.test(terms.amount_atomic) &&
    Number.isSafeInteger(claims['expires_at'])
  if (!isOurs) return 'it is not about a payout of this wallet'
  const payout = { ...terms, creator: named('creator') }
  if (isCanaryOf(payout, payouts.canary, nowSeconds)) return undefined
  const { principal } = proof
  const digest =
    principal &&
    principalDigest(
      principalTermsOf(terms, Number(claims['expires_at']), principal.idempotency_key),
    )
  const signer = digest && recoverSigner(digest, principal.signature as `0x${string}`)
  return signer !== undefined && signer === payouts.principal
    ? undefined
    : 'the treasury principal has not signed these terms'
}
