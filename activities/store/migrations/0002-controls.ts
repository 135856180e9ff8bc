import { type Kysely, sql } from 'kysely'

/** The history of the switches: who set which one, when and why, each act with its signed receipt. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table control_changes (
    change_id text primary key check (change_id ~ '^ctl_[0-9a-f]{64}$'),
    seq bigint not null unique generated always as identity,
    scope text not null check (scope in ('service','payouts','wallet','payout')),
    target text not null check ((target = '') = (scope in ('service','payouts'))),
    paused boolean not null,
    reason text not null check (reason <> ''),
    operator_id text not null,
    operator_name text not null,
    receipt_id text not null references receipts,
    changed_at timestamptz not null
  )`,
  `create function control_changes_guard() returns trigger language plpgsql as $$
  begin
    raise exception 'what was done to a switch is never rewritten' using errcode = 'check_violation';
  end $$`,
  `create trigger control_changes_guard before update or delete on control_changes for each row execute function control_changes_guard()`,
]
