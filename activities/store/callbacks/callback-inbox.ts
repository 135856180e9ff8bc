import { type Selectable, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type InboxRow = Selectable<Database['callback_inbox']>
/** A received callback, and the number of attempts to refuse before one is accepted. */
export type Incoming = { receiver: string; deliveryId: string; event: string; refuseFirst: number }

/**
 * Counts an attempt, and accepts the callback unless it still has to be refused. `duplicate` if it was accepted
 * before.
 */
export async function receiveCallback(
  tx: Tx,
  incoming: Incoming,
): Promise<{ taken: boolean; duplicate: boolean }> {
  const { receiver, deliveryId: delivery_id, event, refuseFirst } = incoming
  const { attempts, refused } = await tx
    .insertInto('callback_inbox')
    .values({
      receiver,
      delivery_id,
      event,
      refused: refuseFirst > 0 ? 1 : 0,
      received_at: refuseFirst > 0 ? null : now,
    })
    .onConflict((conflict) =>
      conflict.columns(['receiver', 'delivery_id']).doUpdateSet({
        attempts: sql`callback_inbox.attempts + 1`,
        refused: sql`callback_inbox.refused + case when callback_inbox.received_at is null
          and callback_inbox.refused < ${refuseFirst} then 1 else 0 end`,
        received_at: sql`case when callback_inbox.received_at is null and callback_inbox.refused < ${refuseFirst}
          then null else coalesce(callback_inbox.received_at, clock_timestamp()) end`,
      }),
    )
    .returning(['attempts', 'refused'])
    .executeTakeFirstOrThrow()
  return { taken: attempts > refused, duplicate: attempts > refused + 1 }
}

/** The newest 50 callbacks of a receiver, or one of them. */
export async function listInbox(
  tx: Tx,
  receiver: string,
  deliveryId?: string,
): Promise<InboxRow[]> {
  const all = tx.selectFrom('callback_inbox').selectAll().where('receiver', '=', receiver)
  const asked = deliveryId === undefined ? all : all.where('delivery_id', '=', deliveryId)
  return asked.orderBy('first_at', 'desc').limit(50).execute()
}
