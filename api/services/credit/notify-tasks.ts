import type { Kysely } from 'kysely'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { listBehindMoney } from '../../../activities/store/tasks/task-credits.ts'

type Deps = { db: Kysely<Database>; notifyTask(taskId: string): Promise<unknown> }

/** A call does not wait for all tasks of one credit. */
const NOTIFIED_AT_ONCE = 20

/** Notifies tasks whose state is behind their credit; the workers' sweep finds those that cannot be notified now. */
export async function notifyTasks(
  { db, notifyTask }: Deps,
  of: { entitlementId: string } | { quoteId: string },
): Promise<void> {
  const behind = await listBehindMoney(db, of)
  await Promise.allSettled(behind.slice(0, NOTIFIED_AT_ONCE).map(notifyTask))
}
