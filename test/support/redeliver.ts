import type { Kysely } from 'kysely'
import { isCallbackOpen } from '#domain/callbacks/callback.ts'
import {
  addRedelivery,
  findDelivery,
} from '../../activities/store/callbacks/callback-deliveries.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { attemptCallbackNow, ensureCallback } from '../../temporal/callbacks.ts'
import type { TemporalClient } from '../../temporal/connection.ts'

/**
 * Delivers a callback again, to the same or another URL: an open delivery is attempted at once, a closed one gets a successor.
 * Returns the id of the delivery that is now open; undefined where there is none to repeat.
 */
export async function redeliver(
  { client, db }: { client: TemporalClient; db: Kysely<Database> },
  deliveryId: string,
  url?: string,
): Promise<string | undefined> {
  const delivery = await findDelivery(db, deliveryId)
  if (delivery === undefined) return undefined
  if (isCallbackOpen(delivery.state)) {
    await attemptCallbackNow(client, deliveryId)
    return deliveryId
  }
  const successor = await transaction(db, (tx) => addRedelivery(tx, deliveryId, url))
  if (successor !== undefined) await ensureCallback(client, successor)
  return successor
}
