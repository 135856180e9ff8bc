import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { type AllowanceLimits, narrows } from '#domain/credit/allowance.ts'
import { debtAccount, walletAccount } from '#domain/credit/credit.ts'
import type { WalletTier } from '#domain/credit/fees.ts'
import { acceptedMethods, type Payable } from '#domain/payments/payment-reference.ts'
import {
  createWallet,
  type LimitsBy,
  readWallet,
  setWalletLimits,
} from '../../../activities/credit/allowance.ts'
import { writeMoneyReceipt } from '../../../activities/credit/deps.ts'
import { offeredAs } from '../../../activities/credit/presenting.ts'
import { paysWallet, presentTopUp } from '../../../activities/credit/top-ups.ts'
import { setTier } from '../../../activities/credit/wallet-tier.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  findWalletOf,
  reservedUnits,
  type WalletRow,
} from '../../../activities/store/credit/allowance-wallets.ts'
import { heldForFees } from '../../../activities/store/credit/fee-events.ts'
import { listMovements, readBalance } from '../../../activities/store/credit/postings.ts'
import { findWalletPause } from '../../../activities/store/operators/controls.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { FundedBy } from './credit.ts'
import type { PaymentDeps } from './deps.ts'
import { ownReference, type PaymentAsked, presentedOf, verifyAndNotify } from './references.ts'
import { postingsOf, referenceView, verificationOf } from './views.ts'

/** Requested limits: an absent one stays unchanged, null is no limit. */
type LimitsAsked = { [Limit in keyof AllowanceLimits]?: AllowanceLimits[Limit] | undefined }
type Made = { callId: string; agentId: string; label: string; limits: LimitsAsked }
type Tiered = { callId: string; agentId: string; walletId: string; tier: WalletTier }
type Limited = { callId: string; by: LimitsBy; walletId: string; limits: LimitsAsked }

/** How many movements a wallet shows; the ledger has all of them. */
const POSTINGS_SHOWN = 100

/** Allowance wallets as operations see them; each call is safe to repeat. */
export class WalletService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  /** Without an agent, the wallet of any agent. */
  async read(walletId: string, agentId?: string) {
    const { db } = this.deps
    return walletView(db, await readWallet(db, walletId, agentId))
  }

  /** The wallet of an agent; null while it has none. */
  async readOf(agentId: string) {
    const { db } = this.deps
    const wallet = await findWalletOf(db, agentId)
    return wallet === undefined ? null : walletView(db, wallet)
  }

  create({ callId, agentId, label, limits }: Made) {
    return answerOnce(this.deps, { callId, subject: agentId, status: 201 }, async (tx) => {
      const wallet = await createWallet(tx, {
        agentId,
        label,
        limits: given(limits),
        tierPerDayUsd: this.deps.fees.wallet_per_day_usd.free,
      })
      const facts = {
        wallet_id: wallet.wallet_id,
        agent_id: agentId,
        fee_usd: 0,
        ...limitsOf(wallet),
      }
      const receipt = { subject: wallet.wallet_id, kind: 'intake' as const, facts }
      const jws = await writeMoneyReceipt(this.deps, tx, receipt)
      return { wallet: await walletView(tx, wallet), receipt: receiptView(jws) }
    })
  }

  limit({ callId, by, walletId, limits }: Limited) {
    return answerOnce(this.deps, { callId, subject: walletId, status: 200 }, async (tx) => {
      const { before, after } = await setWalletLimits(tx, { walletId, by, limits: given(limits) })
      const act = {
        wallet_id: walletId,
        from: limitsOf(before),
        to: limitsOf(after),
        widened: !narrows(before, after),
      }
      const facts = {
        ...act,
        ...('agentId' in by ? { agent_id: by.agentId } : { operator: by.operator }),
      }
      const receipt = {
        subject: `ctl_${digestOf({ call: callId })}`,
        kind: 'control_change' as const,
        facts,
      }
      const jws = await writeMoneyReceipt(this.deps, tx, receipt)
      return { wallet: await walletView(tx, after), receipt: receiptView(jws) }
    })
  }

  /** Sets the tier of a wallet; premium posts the fee of the month. */
  setTier({ callId, agentId, walletId, tier }: Tiered) {
    return answerOnce(this.deps, { callId, subject: walletId, status: 200 }, async (tx) => {
      const set = await setTier(this.deps, tx, { agentId, walletId, tier })
      const fee_event_id = set.fee?.fee_event_id ?? null
      const facts = {
        wallet_id: walletId,
        from: set.before.tier,
        to: tier,
        fee_event_id,
        agent_id: agentId,
      }
      const subject = `ctl_${digestOf({ call: callId })}`
      const receipt = { subject, kind: 'control_change' as const, facts }
      const jws = await writeMoneyReceipt(this.deps, tx, receipt)
      return { wallet: await walletView(tx, set.after), fee_event_id, receipt: receiptView(jws) }
    })
  }

  async fund(agentId: string, walletId: string, by: FundedBy) {
    const { db } = this.deps
    await readWallet(db, walletId, agentId)
    const reference = await verifyAndNotify(
      this.deps,
      await intoWallet(this.deps, { agentId, walletId }, by),
    )
    const wallet = await walletView(db, await readWallet(db, walletId, agentId))
    return {
      wallet,
      payment_reference: referenceView(reference),
      verification: verificationOf(reference),
    }
  }
}

/** The payment that was presented for this wallet, or is presented now; a payment for anything else is refused. */
async function intoWallet(
  deps: PaymentDeps,
  { agentId, walletId }: { agentId: string; walletId: string },
  by: FundedBy,
): Promise<ReferenceRow> {
  if ('payment_reference_id' in by) {
    const reference = await ownReference(deps.db, agentId, by.payment_reference_id)
    if (reference.wallet_id === walletId) return reference
    const open = reference.state === 'presented' || reference.state === 'pending'
    throw refuse(open ? 'payment_pending' : 'reference_already_used', {
      detail: 'the payment is for something else',
      next_action: 'Present another payment for the wallet.',
    })
  }
  const { amount_usd, ...asked } = by
  assertPaymentGiven(deps, { id: walletId, amount_usd }, asked)
  return presentTopUp(deps, {
    agentId,
    walletId,
    amountUsd: amount_usd,
    ...presentedOf(deps, asked),
  })
}

/** A wallet has no challenge that shows what to sign, so x402 without a signed payment is answered with it: 402 `payment_required`. */
function assertPaymentGiven(deps: PaymentDeps, of: Payable, { method, proof }: PaymentAsked): void {
  if (method !== 'x402_reference' || proof?.['payment'] !== undefined) return
  const more = { accepted_methods: acceptedMethods(deps.providers).filter(paysWallet) }
  throw deps.offers.paymentRequired(
    offeredAs(of),
    `${of.amount_usd} usd are to be paid into the wallet`,
    more,
  )
}

/** A wallet as its owner sees it. */
async function walletView(tx: Tx, wallet: WalletRow) {
  const { wallet_id, agent_id, label, tier, tier_per_day_usd } = wallet
  const account = walletAccount(wallet_id)
  return {
    wallet_id,
    owner: agent_id,
    label,
    tier,
    tier_per_day_usd,
    limits: limitsOf(wallet),
    balance_units: await readBalance(tx, account),
    reserved_units: await reservedUnits(tx, wallet_id),
    held_units: await heldForFees(tx, wallet_id),
    debt_units: 0 - (await readBalance(tx, debtAccount(wallet_id))),
    postings: postingsOf(await listMovements(tx, account, POSTINGS_SHOWN)),
    state: await stateOf(tx, wallet_id),
  }
}

async function stateOf(tx: Tx, walletId: string): Promise<'active' | 'paused'> {
  if ((await findWalletPause(tx, walletId)) === undefined) return 'active'
  return 'paused'
}

const limitsOf = ({ per_run_usd, per_day_usd, rails }: AllowanceLimits) => ({
  per_run_usd,
  per_day_usd,
  rails: rails === null ? null : [...rails],
})

const given = (limits: LimitsAsked): Partial<AllowanceLimits> =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
