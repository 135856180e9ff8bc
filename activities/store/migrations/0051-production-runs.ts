import { refusal } from './columns.ts'

const runTables = ['customer_runs', 'first_paid_runs', 'pilot_runs']

/** Every operational run that an agent starts for a customer account, by the audit event that admitted it. */
export const productionRuns: readonly string[] = [
  `alter table production_writes
    add column customer_account text check (char_length(customer_account) between 1 and 160)
      check (customer_account is null or kind = 'written')`,
  `create unique index production_writes_run on production_writes (subject) where customer_account is not null`,
  `create index production_writes_account on production_writes (customer_account, checked_at) where customer_account is not null`,
  // Whatever starts them: a customer run, the first paid run, a pilot, a wallet, the firing of a workflow, or agent-use. The gate
  // refuses sandbox agents, and synthetic work is none.
  `create view production_runs as
    select w.subject as task_id, w.audit_event_id, w.customer_account, w.checked_at as started_at, t.agent_id, t.rail, t.tier
      from production_writes w join tasks t on t.task_id = w.subject
      where w.customer_account is not null and t.usage = 'operational'`,
  // A customer run is for the account that its write was admitted for.
  `create function customer_account_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
        and w.customer_account = new.customer_account)`,
      'a run is for the account that its write was admitted for',
    )}
    return new;
  end $$`,
  ...runTables.map(
    (table) =>
      `create trigger ${table}_account before insert on ${table} for each row execute function customer_account_guard()`,
  ),
  // As before, by the one view.
  `create or replace view prospect_paid_runs as
    select p.prospect_id, t.task_id, r.payment_reference_id, e.completed_at
      from prospects p
      join tasks t on t.agent_id = p.agent_id and t.usage = 'operational'
      join payment_references r on r.entitlement_id = t.entitlement_id and r.state = 'verified'
      join lateral (select min(at) as completed_at from task_events e where e.task_id = t.task_id and e.event = 'receipts_issued') e
        on e.completed_at > p.created_at
      where p.customer_account is null or exists (select from production_runs c
        where c.task_id = t.task_id and c.customer_account = p.customer_account)`,
]
