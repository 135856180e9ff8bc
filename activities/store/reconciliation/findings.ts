import { type Selectable, sql } from 'kysely'
import { groupedBy } from '#domain/core/grouped-by.ts'
import { callId } from '#domain/core/ids.ts'
import { atomicOf } from '#domain/payments/payment-reference.ts'
import type { SeenCall } from '#domain/reconciliation/findings.ts'
import type {
  Explanation,
  GasWalletFindings,
  UnreservedPayout,
} from '#domain/reconciliation/reconciliation.ts'
import { waits } from '../gas-wallets/gas-wallets.ts'
import { lastValidBefore, type PaymentRow } from '../payments/payments.ts'
import type { PayoutRow, TransferRow } from '../payouts/payouts.ts'
import { type Tx, transaction } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

export type StoredReceipt = Pick<
  Selectable<Database['receipts']>,
  'receipt_id' | 'seq' | 'kind' | 'jws' | 'prev' | 'kid' | 'issued_at'
>
export type StoredPayout = {
  payout: PayoutRow
  transfer: TransferRow | undefined
  receipts: StoredReceipt[]
  calls: SeenCall[]
}
export type StoredPayment = { payment: PaymentRow; calls: SeenCall[] }

const callColumns = ['operation', 'grant_state', 'answer_state', 'funding'] as const

/** Everything that is stored about these payouts, in one consistent read of four queries. */
export function readPayouts(db: Tx, ids: readonly string[]): Promise<StoredPayout[]> {
  return atOneMoment(db, (tx) => payoutsIn(tx, ids))
}

/** These payments with the calls that they pay for, in one consistent read. */
export function readPayments(db: Tx, ids: readonly string[]): Promise<StoredPayment[]> {
  return atOneMoment(db, (tx) => paymentsIn(tx, ids))
}

const atOneMoment = <T>(db: Tx, read: (tx: Tx) => Promise<T>): Promise<T> =>
  transaction(db, async (tx) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(tx)
    return read(tx)
  })

async function payoutsIn(tx: Tx, ids: readonly string[]): Promise<StoredPayout[]> {
  if (ids.length === 0) return []
  const payouts = await tx
    .selectFrom('payouts')
    .selectAll()
    .where('payout_id', 'in', ids)
    .orderBy('payout_id')
    .execute()
  if (payouts.length === 0) return []
  const transfers = await tx
    .selectFrom('transfers')
    .selectAll()
    .where('payout_id', 'in', ids)
    .execute()
  const receipts = await tx
    .selectFrom('receipts')
    .selectAll()
    .where('subject', 'in', ids)
    .where('set_aside_at', 'is', null)
    .orderBy('seq')
    .execute()
  const transferOf = new Map(transfers.map((row) => [row.payout_id, row]))
  const receiptsOf = groupedBy(receipts, ({ subject }) => subject)
  const callIds = new Map(
    payouts.map((row) => [row.payout_id, callsOf(row, transferOf.get(row.payout_id))]),
  )
  const calls = await tx
    .selectFrom('calls')
    .select(['call_id', ...callColumns])
    .where('call_id', 'in', [...callIds.values()].flat())
    .execute()
  return payouts.map((payout) => ({
    payout,
    transfer: transferOf.get(payout.payout_id),
    receipts: receiptsOf.get(payout.payout_id) ?? [],
    calls: calls
      .filter(({ call_id }) => callIds.get(payout.payout_id)?.includes(call_id))
      .map(seenCall),
  }))
}

/** The calls of a payout's steps. Their ids follow from the creator and the keys; the transfer names its own call. */
function callsOf(payout: PayoutRow, transfer: TransferRow | undefined): string[] {
  const caller = `wallet:${payout.creator}`
  const authorize = payout.authorize_idempotency_key
  return [
    callId(caller, 'payout-create', payout.idempotency_key),
    ...(authorize === null ? [] : [callId(caller, 'payout-authorize', authorize)]),
    ...(transfer === undefined ? [] : [transfer.call_id]),
  ]
}

type CallStates = Pick<StoredCall, (typeof callColumns)[number]>
type StoredCall = { operation: string; grant_state: string; answer_state: string; funding: string }
const seenCall = ({ operation, grant_state, answer_state, funding }: CallStates): SeenCall => ({
  operation,
  grant: grant_state,
  answer: answer_state,
  funding,
})

async function paymentsIn(tx: Tx, ids: readonly string[]): Promise<StoredPayment[]> {
  if (ids.length === 0) return []
  const payments = await tx
    .selectFrom('payments')
    .selectAll()
    .select(lastValidBefore)
    .where('payment_id', 'in', ids)
    .execute()
  const calls = await tx
    .selectFrom('calls')
    .select(['payment_id', ...callColumns])
    .where('payment_id', 'in', ids)
    .execute()
  const callsByPayment = groupedBy(calls, ({ payment_id }) => payment_id ?? '')
  const references = await referencesPaidBy(tx, payments)
  return payments.map((payment) => ({
    payment,
    calls: [
      ...(callsByPayment.get(payment.payment_id) ?? []).map(seenCall),
      ...(references.get(payment.call_id) ?? []),
    ],
  }))
}

/** A payment may belong to a payment reference instead of a call. The credit that it funded is its final answer. */
async function referencesPaidBy(
  tx: Tx,
  payments: readonly PaymentRow[],
): Promise<Map<string | null, SeenCall[]>> {
  const ids = payments.flatMap(({ call_id }) =>
    call_id?.startsWith('pr_') === true ? [call_id] : [],
  )
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('payment_references')
    .select(['payment_reference_id', 'settlement_receipt_id'])
    .where('payment_reference_id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ payment_reference_id, settlement_receipt_id }) => {
      const answer = settlement_receipt_id === null ? 'open' : 'final'
      return [
        payment_reference_id,
        [{ operation: 'payment reference', grant: 'used', answer, funding: 'payment' }],
      ]
    }),
  )
}

/**
 * The payouts of the transfers with these authorization nonces. Dead transfers are left out, because they explain
 * nothing.
 */
export async function explainOutgoing(tx: Tx, nonces: readonly string[]): Promise<Explanation[]> {
  if (nonces.length === 0) return []
  const rows = await tx
    .selectFrom('transfers')
    .select(['wallet', 'recipient', 'amount_atomic', 'nonce'])
    .where('nonce', 'in', nonces)
    .where('status', '<>', 'dead')
    .execute()
  return rows.map((row) => ({
    from: row.wallet,
    to: row.recipient,
    amountAtomic: row.amount_atomic,
    nonce: row.nonce,
    transactionHash: null,
    open: false,
  }))
}

/** Payouts to these recipients that have no transfer, such as those whose transfer was lost when the database was restored. */
export async function listUnreserved(
  tx: Tx,
  recipients: readonly string[],
): Promise<UnreservedPayout[]> {
  if (recipients.length === 0) return []
  const rows = await tx
    .selectFrom('payouts')
    .leftJoin('transfers', 'transfers.payout_id', 'payouts.payout_id')
    .select(['payouts.payout_id', 'payouts.payout_wallet', 'payouts.recipient'])
    .select(['payouts.amount_atomic', 'payouts.state'])
    .where('payouts.recipient', 'in', recipients)
    .where('transfers.payout_id', 'is', null)
    .execute()
  return rows.map((row) => ({
    payoutId: row.payout_id,
    from: row.payout_wallet,
    to: row.recipient,
    amountAtomic: row.amount_atomic,
    state: row.state,
  }))
}

/** Fees settled in these transactions, and the open payments of these payers. */
export async function explainIncoming(
  tx: Tx,
  hashes: readonly string[],
  payers: readonly string[],
): Promise<Explanation[]> {
  if (hashes.length === 0) return []
  const rows = await tx
    .selectFrom('payments')
    .select(['payer', 'pay_to', 'amount_atomic', 'transaction_hash', 'state'])
    .where((or) =>
      or.or([
        or.and([or('state', '=', 'settled'), or('transaction_hash', 'in', hashes)]),
        or.and([or('state', 'in', ['claimed', 'settling', 'pending']), or('payer', 'in', payers)]),
      ]),
    )
    .orderBy(sql`state = 'settled' desc`)
    .execute()
  return rows.map((row) => ({
    from: row.payer,
    to: row.pay_to,
    amountAtomic: row.amount_atomic,
    nonce: null,
    transactionHash: row.state === 'settled' ? row.transaction_hash : null,
    open: row.state !== 'settled',
  }))
}

/** The plain transfers to `payTo` that were presented as stablecoin references. */
export async function explainReferences(
  tx: Tx,
  payTo: string,
  hashes: readonly string[],
): Promise<Explanation[]> {
  if (hashes.length === 0) return []
  const rows = await tx
    .selectFrom('payment_references')
    .select(['payer', 'amount_usd', 'external_reference'])
    .where('method', '=', 'stablecoin_reference')
    .where('external_reference', 'in', hashes)
    .where('state', 'not in', ['rejected', 'expired'])
    .execute()
  return rows.map(({ payer, amount_usd, external_reference }) => ({
    from: payer ?? '',
    to: payTo,
    amountAtomic: atomicOf(amount_usd),
    nonce: null,
    transactionHash: external_reference,
    open: false,
  }))
}

export async function listGasWallets(tx: Tx): Promise<string[]> {
  return (await tx.selectFrom('gas_wallets').select('address').orderBy('address').execute()).map(
    ({ address }) => address,
  )
}

/** The nonces below the chain's that the rows do not explain; at most 100 of each kind. One that waits for finality is explained. */
export async function readGasWallet(
  tx: Tx,
  wallet: string,
  chainNonce: bigint,
): Promise<GasWalletFindings> {
  const { rows } = await sql<{ nonce: string; unsettled: boolean }>`
    with ours as (select eoa_nonce, bool_or(${waits('t')}) as open,
        bool_or(outcome in ('mined','reverted') or not final and block_number is not null) as mined
      from gas_wallet_transactions t where gas_wallet = ${wallet} and eoa_nonce < ${chainNonce.toString()}::bigint group by eoa_nonce)
    select n::text as nonce, coalesce(open, false) as unsettled
    from generate_series((select min(eoa_nonce) from ours), ${chainNonce.toString()}::bigint - 1) n left join ours on eoa_nonce = n
    where open or mined is not true order by n limit 100`.execute(tx)
  const of = (kind: boolean) =>
    rows.filter(({ unsettled }) => unsettled === kind).map(({ nonce }) => nonce)
  return { wallet, chainNonce: chainNonce.toString(), unsettled: of(true), foreign: of(false) }
}
