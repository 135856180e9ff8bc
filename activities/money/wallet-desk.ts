import { type AllowanceLimits, narrows } from '../../workflows/domain/allowance.ts'
import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { walletAccount } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { acceptedMethods } from '../../workflows/domain/payment-reference.ts'
import { receiptView } from '../receipt-view.ts'
import { reservedUnits, type WalletRow } from '../store/allowance-wallets.ts'
import { findWalletPause } from '../store/controls.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { answerOnce } from '../store/once.ts'
import type { ReferenceRow } from '../store/payment-references.ts'
import { listMovements, readBalance } from '../store/postings.ts'
import { createWallet, type LimitsBy, readWallet, setWalletLimits } from './allowance.ts'
import { writeMoneyReceipt } from './deps.ts'
import { type FundedBy, type MoneyDesk, ownReference, type PaymentAsked } from './desk.ts'
import { look, presentedOf } from './paying.ts'
import { mandateChallenge, offeredAs } from './presenting.ts'
import { presentTopUp } from './references.ts'
import { postingsOf, referenceView, verificationOf } from './views.ts'

export type Wallets = ReturnType<typeof openWallets>
/** Limits as they are asked for: what is absent stays as it is, null is no limit. */
export type LimitsAsked = { [Limit in keyof AllowanceLimits]?: AllowanceLimits[Limit] | undefined }
type Made = { callId: string; agentId: string; label: string; limits: LimitsAsked }
type Limited = { callId: string; by: LimitsBy; walletId: string; limits: LimitsAsked }

/** Movements that a wallet shows; the whole of them stand in the ledger. */
const POSTINGS_SHOWN = 100

/** Allowance wallets as operations see them (endpoints.md §12); each act is safe to repeat. */
export function openWallets(deps: MoneyDesk) {
  const { db } = deps
  return {
    /** Without an agent, anybody's wallet. */
    read: async (walletId: string, agentId?: string) => walletView(db, await readWallet(db, walletId, agentId)),

    create: ({ callId, agentId, label, limits }: Made) =>
      answerOnce(deps, { callId, subject: agentId, status: 201 }, async (tx) => {
        const wallet = await createWallet(tx, { agentId, label, limits: given(limits) })
        const facts = {
          wallet_id: wallet.wallet_id,
          agent_id: agentId,
          fee_usd: 0,
          ...limitsOf(wallet),
        }
        const receipt = { subject: wallet.wallet_id, kind: 'intake' as const, facts }
        const jws = await writeMoneyReceipt(deps, tx, receipt, await clockSeconds(tx))
        return { wallet: await walletView(tx, wallet), receipt: receiptView(jws) }
      }),

    limit: ({ callId, by, walletId, limits }: Limited) =>
      answerOnce(deps, { callId, subject: walletId, status: 200 }, async (tx) => {
        const { before, after } = await setWalletLimits(tx, { walletId, by, limits: given(limits) })
        const act = {
          wallet_id: walletId,
          from: limitsOf(before),
          to: limitsOf(after),
          widened: !narrows(before, after),
        }
        const facts = { ...act, ...('agentId' in by ? { agent_id: by.agentId } : { operator: by.operator }) }
        const receipt = { subject: `ctl_${digestOf({ call: callId })}`, kind: 'control_change' as const, facts }
        const jws = await writeMoneyReceipt(deps, tx, receipt, await clockSeconds(tx))
        return { wallet: await walletView(tx, after), receipt: receiptView(jws) }
      }),

    fund: async (agentId: string, walletId: string, by: FundedBy) => {
      await readWallet(db, walletId, agentId)
      const reference = await look(deps, await intoWallet(deps, agentId, walletId, by))
      const wallet = await walletView(db, await readWallet(db, walletId, agentId))
      return { wallet, payment_reference: referenceView(reference), verification: verificationOf(reference) }
    },
  }
}

/** The payment that was presented for this wallet, or is now; one for anything else is refused. */
async function intoWallet(deps: MoneyDesk, agentId: string, walletId: string, by: FundedBy): Promise<ReferenceRow> {
  if ('payment_reference_id' in by) {
    const reference = await ownReference(deps, agentId, by.payment_reference_id)
    if (reference.wallet_id === walletId) return reference
    const open = reference.state === 'presented' || reference.state === 'pending'
    throw refuse(
      open ? 'payment_pending' : 'reference_already_used',
      'the payment is for something else',
      'Present another payment for the wallet.',
    )
  }
  const { amount_usd, ...asked } = by
  await assertProofGiven(deps, walletId, amount_usd, asked)
  return presentTopUp(deps, { agentId, walletId, amountUsd: amount_usd, ...presentedOf(deps, asked) })
}

/** A wallet has no challenge that tells what to sign, so who sends no proof is told here: 402 `payment_required`. */
async function assertProofGiven(
  deps: MoneyDesk,
  walletId: string,
  amount_usd: number,
  { method, proof }: PaymentAsked,
): Promise<void> {
  const missing =
    (method === 'x402_reference' && proof?.['payment'] === undefined) ||
    (method === 'ap2_mandate_reference' && proof?.['presentation'] === undefined)
  if (!missing) return
  const of = { id: walletId, amount_usd }
  const mandate = method === 'x402_reference' ? null : await mandateChallenge(deps, of, deps.mandateSeconds)
  const more = { accepted_methods: acceptedMethods(deps.providers).filter((one) => one !== 'agent_allowance'), mandate }
  throw deps.offers.paymentRequired(offeredAs(of), `${amount_usd} usd are to be paid into the wallet`, more)
}

/** A wallet as its owner sees it (endpoints.md §12). */
async function walletView(tx: Tx, wallet: WalletRow) {
  const { wallet_id, agent_id, label } = wallet
  const account = walletAccount(wallet_id)
  return {
    wallet_id,
    owner: agent_id,
    label,
    limits: limitsOf(wallet),
    balance_units: await readBalance(tx, account),
    reserved_units: await reservedUnits(tx, wallet_id),
    postings: postingsOf(await listMovements(tx, account, POSTINGS_SHOWN)),
    state: (await findWalletPause(tx, wallet_id)) === undefined ? 'active' : 'paused',
  }
}

const limitsOf = ({ per_run_usd, per_day_usd, rails }: AllowanceLimits) => ({ per_run_usd, per_day_usd, rails })

const given = (limits: LimitsAsked): Partial<AllowanceLimits> =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
