import { type Kysely, sql } from 'kysely'

/** A run is asked for by its id from the submission of its task on, long before it begins. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The id that `runIdOf` gives: the digest of canonical JSON. Nothing in the id of a task is escaped.
  `create function run_id_of(task_id text) returns text language sql immutable strict parallel safe as $$
    select 'run_' || encode(sha256(decode('{"task_id":"' || task_id || '","type":"service.run.v1"}', 'escape')), 'hex') $$`,
  `create unique index tasks_run_name on tasks (run_id_of(task_id))`,
]
