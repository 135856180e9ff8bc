import { sql } from 'kysely'
import { type Account, debtAccount, type Leg, repayFirst } from '#domain/credit/credit.ts'
import type { Tx } from '../postgres/db.ts'
import { findValue } from '../postgres/rows.ts'
import { lockWallet } from './allowance-wallets.ts'

export type PostedLeg = Leg & { receipt_id: string; kind: string; posted_at: Date }

/**
 * Posts one movement under its receipt; what it brings into a wallet pays first what that wallet owes. Postgres refuses it at the
 * commit unless it balances and no account becomes negative.
 */
export async function postMovement(
  tx: Tx,
  receiptId: string,
  asked: readonly Leg[],
): Promise<void> {
  if (asked.length === 0) return
  const legs: Leg[] = []
  for (const leg of asked) legs.push(...(await afterDebt(tx, leg)))
  // All movements use the same order of accounts, so that two of them wait for each other instead of deadlocking.
  const ordered = [...legs].sort((left, right) => (left.account < right.account ? -1 : 1))
  await tx
    .insertInto('postings')
    .values(ordered.map((leg) => ({ receipt_id: receiptId, ...leg })))
    .execute()
}

async function afterDebt(tx: Tx, leg: Leg): Promise<Leg[]> {
  const [, walletId] = /^wallet:(.+)$/.exec(leg.account) ?? []
  if (walletId === undefined || leg.units <= 0) return [leg]
  await lockWallet(tx, walletId)
  return repayFirst(walletId, leg.units, -(await readBalance(tx, debtAccount(walletId))))
}

/** The balance of an agent's account in whole USD. */
export async function readBalance(tx: Tx, account: Account): Promise<number> {
  return (await findValue(tx, 'account_balances', { account }, 'units')) ?? 0
}

/** All legs of every movement of an account, oldest first; with `most`, only of its latest movements. */
export async function listMovements(tx: Tx, account: Account, most?: number): Promise<PostedLeg[]> {
  const latest = tx
    .selectFrom('postings')
    .select('receipt_id')
    .where('account', '=', account)
    .orderBy('posting_id', 'desc')
    .$if(most !== undefined, (query) => query.limit(most ?? 0))
  return legs(tx).where('postings.receipt_id', 'in', latest).execute()
}

/** Every leg of the movements under these receipts. */
export async function listMovementsOf(tx: Tx, receiptIds: readonly string[]): Promise<PostedLeg[]> {
  return receiptIds.length === 0
    ? []
    : legs(tx).where('postings.receipt_id', 'in', receiptIds).execute()
}

const legs = (tx: Tx) =>
  tx
    .selectFrom('postings')
    .innerJoin('receipts', 'receipts.receipt_id', 'postings.receipt_id')
    .select([
      'postings.receipt_id',
      'receipts.kind',
      'postings.account',
      'postings.units',
      'postings.posted_at',
    ])
    .orderBy('postings.posting_id')

/** The amount that left a wallet for credit in this UTC day, in whole USD. */
export async function spentToday(tx: Tx, account: Account): Promise<number> {
  const { rows } = await sql<{ spent: number }>`
    select coalesce(-sum(p.units), 0)::int as spent from postings p join receipts r on r.receipt_id = p.receipt_id
    where p.account = ${account} and p.units < 0 and r.kind = 'settlement_receipt'
      and p.posted_at >= date_trunc('day', clock_timestamp() at time zone 'utc') at time zone 'utc'`.execute(
    tx,
  )
  return rows[0]?.spent ?? 0
}
