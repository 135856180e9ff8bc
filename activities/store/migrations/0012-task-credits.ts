import { type Kysely, sql } from 'kysely'

/** Which credit a task works for: set aside before its run, used by its receipt, or released. Test money keeps to itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table task_credits (
    task_id text not null references tasks,
    quote_id text not null references quotes,
    entitlement_id text not null references entitlements,
    units integer not null check (units > 0),
    state text not null check (state in ('reserved','used','released')),
    usage_receipt_id text unique references receipts,
    created_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    primary key (task_id, quote_id),
    check ((state = 'used') = (usage_receipt_id is not null))
  )`,
  `create unique index task_credits_live on task_credits (task_id) where state <> 'released'`,
  `create index task_credits_entitlement on task_credits (entitlement_id)`,
  // What is promised to tasks is never more than what was granted and is not spent; whoever promises waits for the others.
  `create function task_credits_guard() returns trigger language plpgsql as $$
  declare granted entitlements%rowtype;
  begin
    if tg_op = 'DELETE' then raise exception 'a row of task_credits is never deleted' using errcode = 'check_violation'; end if;
    if tg_op = 'UPDATE' then
      if (old.task_id, old.quote_id, old.entitlement_id, old.units, old.created_at) is distinct from (new.task_id, new.quote_id, new.entitlement_id, new.units, new.created_at)
        or (old.state <> new.state and (old.state, new.state) not in (('reserved','used'), ('reserved','released')))
      then raise exception 'no such move of task_credits: % to %', old.state, new.state using errcode = 'check_violation'; end if;
      return new;
    end if;
    select * into granted from entitlements where entitlement_id = new.entitlement_id for update;
    if new.state <> 'reserved' or granted.quote_id <> new.quote_id
    then raise exception 'credit is set aside of its own quote first' using errcode = 'check_violation'; end if;
    if new.units + coalesce((select sum(units) from task_credits where entitlement_id = new.entitlement_id and state = 'reserved'), 0)
      > granted.granted_units - granted.consumed_units - granted.returned_units
    then raise exception 'the credit % is promised to others', new.entitlement_id using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger task_credits_guard before insert or update or delete on task_credits for each row execute function task_credits_guard()`,
  // Credit that the sandbox gave comes from and goes to accounts of the sandbox, and no other credit does.
  `create function postings_sandbox() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from postings p join entitlements e on p.account = 'credit:' || e.entitlement_id
      where p.receipt_id = new.receipt_id and coalesce(e.source = 'clearing:sandbox', false) <> (new.account ~ ':sandbox$'))
    then raise exception 'the movement of % mixes test money with money', new.receipt_id using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger postings_sandbox after insert on postings deferrable initially deferred
    for each row when (new.account !~ '^credit:') execute function postings_sandbox()`,
]
