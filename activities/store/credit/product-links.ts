import type { Selectable } from 'kysely'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { findRow, now, updateRows } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type LinkRow = Selectable<Database['product_links']>
type Cell = { rail: RailKey; tier: Tier }

export async function listLinks(tx: Tx): Promise<LinkRow[]> {
  return tx.selectFrom('product_links').selectAll().execute()
}

/** Stores the page of a product under its receipt, as not yet verified. */
export async function putLink(
  tx: Tx,
  link: Pick<LinkRow, 'rail' | 'tier' | 'url' | 'provider_price_usd' | 'receipt_id'>,
): Promise<void> {
  const { rail, tier, ...set } = link
  const unchecked = { ...set, outcome: null, checked_at: null }
  await tx
    .insertInto('product_links')
    .values({ rail, tier, ...unchecked })
    .onConflict((conflict) =>
      conflict.columns(['rail', 'tier']).doUpdateSet({ ...unchecked, changed_at: now }),
    )
    .execute()
}

/** Stores the result of checking a page. A page that was replaced in the meantime stays unchecked. */
export const checkedLink = (tx: Tx, receiptId: string, outcome: 'live' | 'broken') =>
  updateRows(tx, 'product_links', { receipt_id: receiptId }, { outcome, checked_at: now })

export const findLink = (tx: Tx, { rail, tier }: Cell) =>
  findRow(tx, 'product_links', { rail, tier })

/** The live page that accepts exactly the amount of a challenge, if there is one. */
export async function findPageOf(tx: Tx, challengeId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('payment_challenges')
    .innerJoin('quotes', 'quotes.quote_id', 'payment_challenges.quote_id')
    .innerJoin('product_links', (join) =>
      join
        .onRef('product_links.rail', '=', 'quotes.rail')
        .onRef('product_links.tier', '=', 'quotes.tier'),
    )
    .select('product_links.url')
    .where('payment_challenges.challenge_id', '=', challengeId)
    .where('product_links.outcome', '=', 'live')
    .whereRef('product_links.provider_price_usd', '=', 'payment_challenges.amount_usd')
    .executeTakeFirst()
  return row?.url ?? undefined
}
