import { type Kysely, sql } from 'kysely'

/** A place among the updates of a workflow is worth nothing once Postgres has crashed, so taking and leaving one waits for no disk. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table update_leases set unlogged`.execute(db)
}
