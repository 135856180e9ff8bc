import { type Kysely, sql } from 'kysely'

/** Counts what uploads may still take before they are read: the reserved bytes of those under way, and the bytes of the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table agent_input_blobs
    add column reserved bigint not null default 0 check (reserved >= 0),
    add column sandbox boolean not null default false`,
  `create index work_orders_undecided on work_orders (created_at) where decision is null and agent_id is null`,
]
