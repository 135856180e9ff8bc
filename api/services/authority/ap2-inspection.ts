import {
  type AgreedCheckout,
  type History,
  type StateLimits,
  tightest,
  unused,
} from '#domain/ap2/constraints.ts'
import { type ConstraintVerdict, checkoutVerdicts, paymentVerdicts } from '#domain/ap2/inspect.ts'
import {
  CheckoutMandate,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentMandate,
} from '#domain/ap2/mandates.ts'
import type { MandateState } from '#domain/authority/facts.ts'
import { refuse } from '#domain/core/errors.ts'
import { isoTime } from '#domain/core/time.ts'
import { authorizeAudience, sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { majorOf } from '#domain/rails/report/decimal-text.ts'
import { standingNow } from '#domain/receipts/key-standing.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import {
  type Check,
  checkOf,
  type InspectContext,
  type InspectedChain,
  inspectChain,
  tried,
} from '../../../activities/keys/ap2-inspect.ts'
import { verifyChallengeToken } from '../../../activities/keys/challenge.ts'
import { readCheckout, totalOf } from '../../../activities/keys/checkout.ts'
import { type AnchorWithTimes, currentAnchors } from '../../../activities/keys/key-status.ts'
import { readAuthorityKeyStatus } from '../../../activities/payouts/authorization.ts'
import {
  type Ap2MandateRow,
  findAp2Mandate,
  findAp2Payment,
  hasPaidUnderAp2,
  readAp2History,
} from '../../../activities/store/payments/ap2.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'

/** Mandates of AP2 as they were issued or closed, and the challenge that they were closed for. */
export type Ap2Presented = {
  payment: string
  checkout?: string | undefined
  challenge_token?: string | undefined
}
type PaymentChain = InspectedChain<OpenPaymentMandate, PaymentMandate>
type CheckoutChain = InspectedChain<OpenCheckoutMandate, CheckoutMandate>
type KeyStatus = Awaited<ReturnType<typeof readAuthorityKeyStatus>>

/** What mandates of AP2 are worth now: the checks of a payment by them, without making it. */
export class Ap2Inspection {
  private readonly deps: Pick<MoneyDeps, 'authority' | 'db'>

  constructor(deps: Pick<MoneyDeps, 'authority' | 'db'>) {
    this.deps = deps
  }

  /**
   * Judges every check and constraint by the rows as they are; nothing is stored or used. An agent sees its own, else 403 `not_owner`. Of
   * a mandate without an agent it sees earlier payments only if one is its own, or if it closed the mandate for a challenge.
   */
  inspect(presented: Ap2Presented, agentId: string | undefined) {
    const { authority, db } = this.deps
    return transaction(db, async (tx) => {
      const keyStatus = await readAuthorityKeyStatus(authority, tx)
      const challenge = this.#challengeOf(presented, keyStatus)
      const context = {
        anchors: currentAnchors(authority.anchors, authority.origin, keyStatus),
        nowSeconds: keyStatus.nowSeconds,
        audience: authorizeAudience(authority.origin),
        nonce: challenge?.nonce,
      }
      const { payment, checkout } = chainsOf(presented, context)
      const holds = isHeld(payment)
      const answers = challenge?.checks.every(({ ok }) => ok) ?? false
      const stored = await storedOf(tx, payment, { agentId, holds, answers })
      const agreed = agreedIn(checkout, { keyStatus, origin: authority.origin })
      const checks = [
        ...named('payment', payment.checks),
        ...named('checkout', checkout?.checks ?? []),
        ...(challenge?.checks ?? []),
        ...rowChecks(payment, stored, authority.origin),
        ...agreed.checks,
        ...dueChecks(payment.closed, checkout?.closed),
      ]
      const verdicts = verdictsOf(
        { payment, checkout, agreed: agreed.checkout },
        { stored, context },
      )
      return {
        valid: checks.every(({ ok }) => ok) && verdicts.every(isUnbroken),
        state: payment.open === undefined ? null : stateOf(stored, context.nowSeconds),
        checks,
        constraints: verdicts,
        budget: payment.read === undefined ? null : budgetOf(stored),
        key: payment.read === undefined ? null : keyOf(payment.read.anchor),
        mandates: {
          open_payment: payment.open ?? null,
          payment: payment.closed ?? null,
          open_checkout: checkout?.open ?? null,
          checkout: checkout?.closed ?? null,
        },
      }
    })
  }

  /** The nonce of the challenge, and whether the challenge holds; undefined where none was given. */
  #challengeOf({ challenge_token }: Ap2Presented, keyStatus: KeyStatus) {
    if (challenge_token === undefined) return undefined
    const { origin, treasuryHolder } = this.deps.authority
    const read = tried(() =>
      verifyChallengeToken(challenge_token, {
        authorityKeys: keyStatus.verifiers('authority'),
        origin,
        nowSeconds: keyStatus.nowSeconds,
        treasuryHolder,
      }),
    )
    const checks = [checkOf('challenge', read, 'the challenge is one of this service')]
    return { nonce: read.ok ? read.value.nonce : '', checks }
  }
}

const isUnbroken = ({ verdict }: ConstraintVerdict): boolean => verdict !== 'broken'
const named = (mandate: string, checks: readonly Check[]): Check[] =>
  checks.map(({ check, ...rest }) => ({ check: `${mandate}.${check}`, ...rest }))

function chainsOf({ payment, checkout }: Ap2Presented, context: InspectContext) {
  const ofPayment = { open: OpenPaymentMandate, closed: PaymentMandate }
  const ofCheckout = { open: OpenCheckoutMandate, closed: CheckoutMandate }
  return {
    payment: inspectChain(payment, ofPayment, context),
    checkout: checkout === undefined ? undefined : inspectChain(checkout, ofCheckout, context),
  }
}

type Stored = {
  row: Ap2MandateRow | undefined
  limits: StateLimits
  expiresAt: Date | null
  /** Undefined where the caller may not see it. */
  history: History | undefined
  /** Undefined where the presentation is not the holder's. */
  nonceUsed: boolean | undefined
}

/** Who asks: no agent is an operator. `holds`: it closed the mandate with its key; `answers`: for a challenge of this service. */
type Inspector = { agentId: string | undefined; holds: boolean; answers: boolean }

const isHeld = ({ checks }: PaymentChain): boolean =>
  checks.some(({ check, ok }) => check === 'holder' && ok)

/** What is stored about the mandate; of one that is not genuine nothing is looked up. */
async function storedOf(
  tx: Tx,
  { read, open, closed, nonce }: PaymentChain,
  { agentId, holds, answers }: Inspector,
): Promise<Stored> {
  const limits = tightest(open?.constraints ?? [])
  const expiresAt = open?.exp === undefined ? null : new Date(open.exp * 1000)
  if (read === undefined)
    return { row: undefined, limits, expiresAt, history: unused, nonceUsed: undefined }
  const { mandateKey } = read
  const row = await findAp2Mandate(tx, mandateKey)
  if (agentId !== undefined && row !== undefined && (row.agent_id ?? agentId) !== agentId)
    throw refuse('not_owner', { detail: 'the mandate is for another agent' })
  const isShown =
    agentId === undefined ||
    row === undefined ||
    row.agent_id === agentId ||
    (holds && answers) ||
    (await hasPaidUnderAp2(tx, { mandateKey, agentId }))
  const currency = limits.currency ?? closed?.payment_amount.currency ?? ''
  return {
    row,
    limits: row ?? limits,
    expiresAt: row?.expires_at ?? expiresAt,
    history: isShown ? await readAp2History(tx, { mandateKey, currency }) : undefined,
    nonceUsed:
      nonce !== undefined && holds ? (await findAp2Payment(tx, nonce)) !== undefined : undefined,
  }
}

function rowChecks({ read }: PaymentChain, stored: Stored, origin: string): Check[] {
  if (read === undefined) return []
  const { row, nonceUsed } = stored
  const isOwn = read.anchor.iss === origin
  const revoked = row !== undefined && row.revoked_at !== null
  return [
    {
      check: 'mandate_known',
      ok: row !== undefined || !isOwn,
      detail: row === undefined ? 'it is not stored here' : 'it is stored here',
    },
    {
      check: 'mandate_revoked',
      ok: !revoked,
      detail: revoked ? 'the mandate is revoked' : 'the mandate is not revoked',
    },
    ...(nonceUsed === undefined
      ? []
      : [
          {
            check: 'presentation_unused',
            ok: !nonceUsed,
            detail: nonceUsed ? 'the nonce was used before' : 'the nonce was not used yet',
          },
        ]),
  ]
}

/** The checkout that a closed mandate agrees to, if this service signed it. */
function agreedIn(
  checkout: CheckoutChain | undefined,
  { keyStatus, origin }: { keyStatus: KeyStatus; origin: string },
): { checks: Check[]; checkout: AgreedCheckout | undefined } {
  if (checkout?.closed === undefined) return { checks: [], checkout: undefined }
  const { checkout_jwt, checkout_hash } = checkout.closed
  const keys = keyStatus.verifiers('checkout')
  try {
    if (sha256Base64url(checkout_jwt) !== checkout_hash) throw new TypeError('another hash')
    const order = { kind: 'payment' as const, cents: totalOf(checkout_jwt) }
    const { merchant, line_items } = readCheckout(checkout_jwt, { keys, origin, order })
    const items = line_items.map(({ item, quantity }) => ({ id: item.id, quantity }))
    const detail = 'this service signed the checkout'
    return {
      checks: [{ check: 'checkout.agreed', ok: true, detail }],
      checkout: { merchant, items },
    }
  } catch {
    const detail = 'the checkout is not one that this service signed'
    return { checks: [{ check: 'checkout.agreed', ok: false, detail }], checkout: undefined }
  }
}

/** Whether the payment is for the checkout, in its amount. */
function dueChecks(
  payment: PaymentMandate | undefined,
  checkout: CheckoutMandate | undefined,
): Check[] {
  if (payment === undefined || checkout === undefined) return []
  const isFor = payment.transaction_id === checkout.checkout_hash
  return [
    {
      check: 'payment_for_checkout',
      ok: isFor,
      detail: isFor
        ? 'transaction_id is the hash of the checkout'
        : 'transaction_id is not the hash of the checkout',
    },
  ]
}

type Chains = {
  payment: PaymentChain
  checkout: CheckoutChain | undefined
  agreed: AgreedCheckout | undefined
}

const verdictsOf = (
  { payment, checkout, agreed }: Chains,
  { stored, context }: { stored: Stored; context: { nowSeconds: number } },
): ConstraintVerdict[] => [
  ...(payment.open === undefined
    ? []
    : paymentVerdicts(payment.open, {
        nowSeconds: context.nowSeconds,
        history: stored.history,
        closed: payment.closed,
        openCheckoutHash: checkout?.read?.openHash,
      })),
  ...(checkout?.open === undefined ? [] : checkoutVerdicts(checkout.open, agreed)),
]

function stateOf(
  { row, limits, expiresAt, history }: Stored,
  nowSeconds: number,
): MandateState | null {
  if (row !== undefined && row.revoked_at !== null) return 'revoked'
  if (expiresAt !== null && nowSeconds * 1000 >= expiresAt.getTime()) return 'expired'
  if (history === undefined) return null
  const usedUp = limits.uses_max !== null && history.occurrences >= limits.uses_max
  const spent = limits.budget_minor !== null && history.spent >= BigInt(limits.budget_minor)
  return usedUp || spent ? 'exhausted' : 'active'
}

/** What was paid under the mandate, as the rows have it; amounts are in major units. */
function budgetOf({ limits, history }: Stored) {
  if (history === undefined) return null
  const { currency, budget_minor, uses_max } = limits
  const { spent, occurrences, lastAt } = history
  const major = (minor: bigint) => majorOf(String(minor), currency ?? undefined) ?? String(minor)
  const total = budget_minor === null ? null : BigInt(budget_minor)
  return {
    currency,
    total: total === null ? null : major(total),
    spent: currency === null ? null : major(spent),
    left: total === null ? null : major(total - spent),
    uses: occurrences,
    uses_max,
    last_paid_at: lastAt === undefined ? null : new Date(lastAt * 1000).toISOString(),
  }
}

const keyTime = (seconds: number | null | undefined): string | null =>
  isoTime(seconds == null ? null : new Date(seconds * 1000))

/** The key of the issuer as it stands now; of other issuers no times are known. */
const keyOf = (anchor: AnchorWithTimes) => ({
  issuer: anchor.iss,
  kid: anchor.kid,
  alg: anchor.alg,
  standing: standingNow(anchor),
  activated_at: keyTime(anchor.activatedAt),
  retired_at: keyTime(anchor.retiredAt),
  revoked_at: keyTime(anchor.revokedAt),
})
