import { type Kysely, sql } from 'kysely'

/** Whose an upload in progress is, and what the service's own receiver of callbacks took. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Uploads of before nobody is waiting for any more.
  `alter table agent_input_blobs add column owner text not null default ''`,
  `create index agent_input_blobs_owner on agent_input_blobs (owner, began_at)`,
  `create table callback_inbox (
    receiver text not null check (length(receiver) between 1 and 64),
    delivery_id text not null check (delivery_id ~ '^cb_[0-9a-f]{64}$'),
    event text not null,
    attempts integer not null default 1 check (attempts >= 1),
    refused integer not null default 0 check (refused between 0 and attempts),
    first_at timestamptz not null default clock_timestamp(),
    received_at timestamptz,
    primary key (receiver, delivery_id)
  )`,
  `create index callback_inbox_newest on callback_inbox (receiver, first_at desc)`,
]
