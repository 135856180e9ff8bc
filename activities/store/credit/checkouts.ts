import type { Tx } from '../postgres/db.ts'
import { insertOnce, type NewRow } from '../postgres/rows.ts'

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
