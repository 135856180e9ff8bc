import { type Kysely, sql } from 'kysely'

/**
 * Switches are set by a function alone, so that no role needs the right to write them. What each role may do is declared in
 * `roles.ts` and granted after every run of the migrations.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(setControl).execute(db)
}

const setControl = `create function set_control(change control_changes) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
  begin
    insert into controls (scope, target, paused, reason, operator_id, changed_at)
      values (change.scope, change.target, change.paused, change.reason, change.operator_id, change.changed_at)
      on conflict (scope, target) do update set paused = excluded.paused, reason = excluded.reason,
        operator_id = excluded.operator_id, changed_at = excluded.changed_at;
    insert into control_changes (change_id, scope, target, paused, reason, operator_id, operator_name, receipt_id, changed_at)
      values (change.change_id, change.scope, change.target, change.paused, change.reason, change.operator_id,
        change.operator_name, change.receipt_id, change.changed_at);
  end $$`
