import type { Tx } from '../../activities/store/postgres/db.ts'
import { listRows } from '../../activities/store/postgres/rows.ts'

/** All attempts at a delivery, oldest first. */
export const listAttempts = (tx: Tx, deliveryId: string) =>
  listRows(tx, 'callback_attempts', { delivery_id: deliveryId }, ['attempt'])
