import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { countAgents } from '../../../../activities/store/agents/agents.ts'
import { countAwaiting } from '../../../../activities/store/payments/payment-references.ts'
import { type Tx, transaction } from '../../../../activities/store/postgres/db.ts'
import { countOpenReviews } from '../../../../activities/store/runs/runs.ts'
import { countTasksInReview } from '../../../../activities/store/tasks/tasks.ts'
import { countQueuedOrders } from '../../../../activities/store/work-orders/work-orders.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

const waits = { olderThanSeconds: 60, minUsd: '1' }
const waiting = ['submitted', 'under_review'] as const
const counts: Record<string, (tx: Tx) => Promise<unknown>> = {
  agents_waiting: (tx) =>
    countAgents(tx, { olderThanSeconds: 60, states: waiting, undecided: false }),
  tasks_unfinished: (tx) => countTasksInReview(tx, waits),
  loop_steps_in_review: (tx) => countOpenReviews(tx, waits),
  work_orders_queued: (tx) => countQueuedOrders(tx, waits),
  payment_references_waiting: (tx) => countAwaiting(tx, waits),
}

verifies('console.inbox', 'the filters are served by the index of what waits', async () => {
  for (const [index, count] of Object.entries(counts)) {
    const used = await transaction(database.db, async (tx) => {
      // An empty table is read whole unless that is forbidden.
      await sql`set local enable_seqscan = off`.execute(tx)
      await sql`set local enable_bitmapscan = off`.execute(tx)
      await count(tx)
      const { rows } = await sql<{ relname: string }>`select relname from pg_class
        where relkind = 'i' and relnamespace = 'public'::regnamespace and pg_stat_get_xact_numscans(oid) > 0`.execute(
        tx,
      )
      return rows.map(({ relname }) => relname)
    })
    expect(used, `${index}: ${used}`).toContain(index)
  }
})
