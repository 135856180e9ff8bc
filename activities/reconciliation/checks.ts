import type { Difference, DifferenceCode } from '#domain/core/difference.ts'
import { limits } from '#domain/core/limits.ts'
import type { LoggedTransfer } from '#domain/reconciliation/findings.ts'
import {
  attributed,
  compareGasWallet,
  comparePayment,
  peakUse,
  unexplained,
} from '#domain/reconciliation/reconciliation.ts'
import { soughtOf } from '../chain/outcome.ts'
import { lastAuthorization } from '../payments/settler.ts'
import { readEvents } from '../store/credit/provider-events.ts'
import {
  explainIncoming,
  explainOutgoing,
  explainReferences,
  listGasWallets,
  listUnreserved,
  readGasWallet,
  readPayments,
  type StoredPayment,
} from '../store/reconciliation/findings.ts'
import { oldestChange } from '../store/reconciliation/reconciliations.ts'
import { listSpent } from '../store/reconciliation/statements.ts'
import { listSeen } from '../store/tasks/exceptions.ts'
import { compareEach, type ReconciliationDeps } from './deps.ts'
import { findDone } from './find-done.ts'
import { provenBy } from './payouts.ts'

/** Finds money that left the payout wallet, or reached the pay-to address, in these blocks (both included) without a row. */
export async function checkBlocks(
  { db, ledger, rail, payTo }: ReconciliationDeps,
  from: bigint,
  to: bigint,
): Promise<Difference[]> {
  const [outgoing, incoming] = await Promise.all([
    ledger.transfers([rail.payoutWallet], 'out', { from, to }),
    ledger.transfers([payTo], 'in', { from, to }),
  ])
  const nonces = outgoing.flatMap(({ nonce }) => nonce ?? [])
  const each = (of: (log: LoggedTransfer) => string) => [...new Set(incoming.map(of))]
  const hashes = each(({ transactionHash }) => transactionHash)
  const payers = each((log) => log.from)
  const paid = [
    ...(await explainIncoming(db, hashes, payers)),
    ...(await explainReferences(db, payTo, hashes)),
  ]
  const left = unexplained('unexplained_outgoing', outgoing, await explainOutgoing(db, nonces))
  return [
    ...attributed(
      left,
      rail.asset,
      await listUnreserved(
        db,
        outgoing.map(({ to }) => to),
      ),
    ),
    ...unexplained('unexplained_incoming', incoming, paid),
  ]
}

/** Compares these x402 payments with the chain and the calls that they pay for. */
export async function checkPayments(
  deps: ReconciliationDeps,
  ids: readonly string[],
): Promise<Difference[]> {
  return compareEach(await readPayments(deps.db, ids), (one) => checkPayment(deps, one))
}

async function checkPayment(
  deps: ReconciliationDeps,
  { payment, calls }: StoredPayment,
): Promise<Difference[]> {
  const sent =
    payment.state === 'settling' || payment.state === 'pending' || payment.state === 'failed'
  const search = async () =>
    provenBy(await deps.findOutcome(lastAuthorization(payment), soughtOf(payment)))
  return comparePayment({
    payment: {
      paymentId: payment.payment_id,
      state: payment.state,
      credit: payment.credit,
      from: payment.payer,
      to: payment.pay_to,
      amountAtomic: payment.amount_atomic,
      nonce: payment.authorization_nonce,
      transactionHash: payment.transaction_hash,
      blockHash: payment.block_hash,
    },
    calls,
    transaction:
      payment.state === 'settled'
        ? await findDone(deps, payment, lastAuthorization(payment))
        : null,
    outcome: sent ? await search() : null,
  })
}

const codes: Readonly<Record<string, DifferenceCode>> = {
  unmatched: 'event_unmatched',
  paid_twice: 'paid_twice',
  asked_about: 'payment_asked_about',
  disputed: 'payment_disputed',
  partly_returned: 'payment_partly_returned',
  refunded_after_use: 'payment_returned_after_use',
  restored: 'payment_restored',
  refund_failed: 'refund_failed',
}

/** Provider events that an operator must see; a dispute only while it lasts. */
export async function checkProviderEvents(
  { db }: ReconciliationDeps,
  keys: readonly string[],
): Promise<Difference[]> {
  const events = await readEvents(db, keys)
  return events.flatMap(({ provider, event_id, type, outcome, reference_state, ...said }) => {
    if (outcome === null || (outcome === 'disputed' && reference_state !== 'disputed')) return []
    const isRefused = outcome.startsWith('refused_') || outcome === 'rejected'
    const code = isRefused ? 'event_refused' : codes[outcome]
    if (code === undefined) return []
    const {
      external_reference,
      payment_intent,
      dispute_id,
      amount_cents,
      currency,
      payment_reference_id,
    } = said
    const found = { type, external_reference, payment_intent, dispute_id, amount_cents, currency }
    const evidence = { stored: { outcome, payment_reference_id }, found }
    return [{ code, subject: `event/${provider}/${event_id}`, evidence }]
  })
}

/** Block times and Postgres' clock may differ by this much before it is a difference. */
const CLOCK_SKEW_SECONDS = 5

/** Recomputes the daily cap from block times, and compares the gas wallets' nonces with the chain. */
export async function checkWallets(
  deps: ReconciliationDeps,
  changedSince: string | null,
): Promise<Difference[]> {
  const gasWallets = await compareEach(await listGasWallets(deps.db), async (wallet) => {
    const chainNonce = await deps.ledger.transactionCount(wallet as `0x${string}`)
    return compareGasWallet(await readGasWallet(deps.db, wallet, chainNonce))
  })
  return [...(await checkCap(deps, changedSince)), ...gasWallets]
}

/** Only a day that holds a changed transfer can have become one over the cap; one that was over it is added up again. */
async function checkCap(
  { db, rail }: ReconciliationDeps,
  changedSince: string | null,
): Promise<Difference[]> {
  const known = (await listSeen(db, 'wallets')).some(({ subject }) => subject === rail.payoutWallet)
  const oldest = await oldestChange(db, known ? null : changedSince)
  if (oldest === null) return []
  const spent = await listSpent(db, rail.payoutWallet, oldest - limits.dailyWindowSeconds)
  const peak = peakUse(spent, limits.dailyWindowSeconds - CLOCK_SKEW_SECONDS)
  if (peak.atomic <= limits.dailyCapAtomic) return []
  const found = {
    sum_atomic: peak.atomic.toString(),
    first_block_time: peak.from,
    last_block_time: peak.to,
  }
  const stored = { daily_cap_atomic: limits.dailyCapAtomic.toString() }
  return [{ code: 'daily_cap_exceeded', subject: rail.payoutWallet, evidence: { stored, found } }]
}
