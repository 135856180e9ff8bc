import { type Insertable, type Selectable, sql } from 'kysely'
import type { Tx } from './db.ts'
import type { QuotesTable } from './money-tables.ts'

export type QuoteRow = Selectable<QuotesTable> & { expired: boolean; used: boolean }
export type NewQuote = Omit<Insertable<QuotesTable>, 'issued_at' | 'expires_at'>

const columns = (tx: Tx) =>
  tx
    .selectFrom('quotes')
    .selectAll()
    .select(sql<boolean>`expires_at <= clock_timestamp()`.as('expired'))
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment_challenges')
          .select('challenge_id')
          .whereRef('payment_challenges.quote_id', '=', 'quotes.quote_id')
          .where('state', '=', 'settled'),
      )
        .$castTo<boolean>()
        .as('used'),
    )

/** A quote as it stands by Postgres' clock. */
export async function findQuote(tx: Tx, quoteId: string): Promise<QuoteRow | undefined> {
  return columns(tx).where('quote_id', '=', quoteId).executeTakeFirst()
}

/** Serialises the quotes of one caller for one thing until the transaction ends. */
export async function lockQuotes(tx: Tx, same: Pick<NewQuote, 'caller' | 'rail' | 'tier' | 'units'>): Promise<void> {
  const name = `quote:${same.caller}:${same.rail}:${same.tier}:${same.units}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/** The unpaid quote that this caller had for the same within the last five minutes. */
export async function findSameQuote(
  tx: Tx,
  same: Pick<NewQuote, 'caller' | 'rail' | 'tier' | 'units' | 'task_id'>,
): Promise<QuoteRow | undefined> {
  const found = await columns(tx)
    .where('caller', '=', same.caller)
    .where('rail', '=', same.rail)
    .where('tier', '=', same.tier)
    .where('units', '=', same.units)
    .where('task_id', 'is not distinct from', same.task_id ?? null)
    .where('issued_at', '>', sql<Date>`clock_timestamp() - interval '5 minutes'`)
    .orderBy('issued_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.used === false ? found : undefined
}

export async function insertQuote(tx: Tx, quote: NewQuote, lifeSeconds: number): Promise<QuoteRow> {
  const row = await tx
    .insertInto('quotes')
    .values({ ...quote, expires_at: sql<Date>`clock_timestamp() + ${lifeSeconds} * interval '1 second'` })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...row, expired: false, used: false }
}
