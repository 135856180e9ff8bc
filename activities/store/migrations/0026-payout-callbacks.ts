import { type Kysely, sql } from 'kysely'

/** Where a wallet has its payouts called back, and the event of those callbacks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table payout_callbacks (
    wallet text primary key check (wallet ~ '^0x[0-9a-f]{40}$'),
    url text not null check (length(url) <= 2048),
    changed_at timestamptz not null default clock_timestamp()
  )`,
  `alter table callback_deliveries drop constraint callback_deliveries_event_check`,
  `alter table callback_deliveries add constraint callback_deliveries_event_check
    check (event in ('task_updated','credential_ready','payout_updated'))`,
]
