import { type Kysely, sql } from 'kysely'
import type { Database } from '../../activities/store/schema/schema.ts'

/** What every account holds as its postings alone say; throws where they do not balance or a holder is below zero. */
export async function auditBooks(db: Kysely<Database>): Promise<Map<string, number>> {
  const { rows: postings } = await sql<{ receipt_id: string; account: string; units: number }>`
    select receipt_id, account, units from postings order by posting_id`.execute(db)
  const accounts = new Map<string, number>()
  const receipts = new Map<string, number>()
  for (const { receipt_id, account, units } of postings) {
    const held = (accounts.get(account) ?? 0) + units
    if (held < 0 && /^(credit|wallet):/.test(account)) throw new Error(`${account} was at ${held}`)
    if (held > 0 && /^debt:/.test(account)) throw new Error(`${account} was at ${held}`)
    accounts.set(account, held)
    receipts.set(receipt_id, (receipts.get(receipt_id) ?? 0) + units)
  }
  for (const [receipt, sum] of receipts)
    if (sum !== 0) throw new Error(`${receipt} is off by ${sum}`)
  const { rows: balances } = await sql<{
    account: string
    units: number
  }>`select * from account_balances`.execute(db)
  for (const { account, units } of balances)
    if (units !== (accounts.get(account) ?? 0)) throw new Error(`${account} says ${units}`)
  return accounts
}
