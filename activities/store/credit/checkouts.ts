import type { Tx } from '../postgres/db.ts'
import { insertOnce, type NewRow } from '../postgres/rows.ts'

/** Stores once who opened a checkout. */
export const insertCheckout = (tx: Tx, checkout: Omit<NewRow<'checkouts'>, 'opened_at'>) =>
  insertOnce(tx, 'checkouts', checkout)
