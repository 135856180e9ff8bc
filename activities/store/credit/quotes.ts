import { type Insertable, type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { insertOnce, type NewRow, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type QuoteRow = Selectable<Database['quotes']> & { expired: boolean; used: boolean }
type NewQuote = Omit<Insertable<Database['quotes']>, 'issued_at' | 'expires_at'>

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

/** A quote with its status by the clock of Postgres. */
export async function findQuote(tx: Tx, quoteId: string): Promise<QuoteRow | undefined> {
  return columns(tx).where('quote_id', '=', quoteId).executeTakeFirst()
}

/** Whole US dollars of a quote; null without one. */
export async function priceOf(tx: Tx, quoteId: string | null): Promise<number | null> {
  if (quoteId === null) return null
  return (await findQuote(tx, quoteId))?.total_usd ?? null
}

export async function insertQuote(tx: Tx, quote: NewQuote, lifeSeconds: number): Promise<QuoteRow> {
  const row = await tx
    .insertInto('quotes')
    .values({
      ...quote,
      expires_at: sql<Date>`clock_timestamp() + ${lifeSeconds} * interval '1 second'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { ...row, expired: false, used: false }
}

/** Binds an unbound quote to its owner, if the token belongs to it. */
export const bindQuote = (tx: Tx, quoteId: string, tokenSha256: string, owner: string) =>
  updateRows(
    tx,
    'quotes',
    { quote_id: quoteId, token_sha256: tokenSha256, bound_to: null },
    { bound_to: owner },
  )

/** The checkouts that customers opened for a challenge, newest first. */
export const listCheckouts = (tx: Tx, challengeId: string, most: number) =>
  tx
    .selectFrom('checkouts')
    .select(['customer_name', 'customer_email', 'purchase_order', 'payment_path', 'opened_at'])
    .where('challenge_id', '=', challengeId)
    .orderBy('opened_at', 'desc')
    .orderBy('checkout_id')
    .limit(most)
    .execute()

/** Stores once who opened a checkout. */
export const insertCheckout = (tx: Tx, checkout: Omit<NewRow<'checkouts'>, 'opened_at'>) =>
  insertOnce(tx, 'checkouts', checkout)
