import { digest } from './columns.ts'
import { guard } from './guards.ts'

const computed = `array['conditions','reached','receipt_id','closed_at']`

/** The audit events of the production write gate, and the runs that are to be the first paid production run. */
export const production: readonly string[] = [
  `create table production_writes (
    audit_event_id text primary key check (audit_event_id ~ '^aud_[0-9a-f]{64}$'),
    kind text not null check (kind in ('validated','written')),
    operation_id text not null,
    rail text not null,
    agent_id text references agents,
    credential_id text references agent_credentials,
    tool text,
    subject text not null,
    payload_sha256 text ${digest('payload_sha256')},
    callback_sha256 text ${digest('callback_sha256')},
    checks json not null,
    passed boolean not null,
    receipt_id text references receipts,
    checked_at timestamptz not null default clock_timestamp(),
    check ((agent_id is null) = (credential_id is null)),
    check ((kind = 'validated') = (receipt_id is not null)),
    check (kind = 'validated' or (passed and agent_id is not null))
  )`,
  `create index production_writes_operation on production_writes (operation_id, kind, passed)`,
  // A write is recorded only for a live key of a trusted agent, whatever the code before it found.
  ...guard('production_writes', {
    kept: 'an audit event stays as it was written',
    inserted: {
      'a write passes when its five checks do': `new.passed <> not exists (select from json_array_elements(new.checks) c where not coalesce((c->>'ok')::boolean, false)) or json_array_length(new.checks) <> 5`,
      'a write needs a live key of a trusted agent': `new.kind = 'written' and not exists (select from agent_credentials c join agents a using (agent_id)
        where c.credential_id = new.credential_id and c.agent_id = new.agent_id and c.state in ('active','retiring')
          and a.trust_state = 'trusted')`,
    },
  }),
  `create table first_paid_runs (
    task_id text primary key references tasks,
    audit_event_id text not null unique references production_writes,
    asked_sha256 text not null ${digest('asked_sha256')},
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    publication_consent boolean not null,
    conditions json,
    reached boolean,
    receipt_id text references receipts,
    started_at timestamptz not null default clock_timestamp(),
    closed_at timestamptz,
    check (num_nonnulls(conditions, reached, receipt_id, closed_at) in (0, 4))
  )`,
  `create index first_paid_runs_reached on first_paid_runs (closed_at) where reached`,
  // The conditions are stored once, when the task has closed, and decide by themselves whether they were all met.
  ...guard('first_paid_runs', {
    deleted: 'a production run is never deleted',
    inserted: {
      'a run begins without conditions': `new.conditions is not null`,
      'the audit event of a run is that of its own write': `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
          and w.kind = 'written' and w.subject = new.task_id)`,
    },
    updated: {
      'what was computed of a run never changes': `to_jsonb(new) - ${computed} <> to_jsonb(old) - ${computed} or old.conditions is not null`,
      'conditions are computed when the task has closed': `not exists (select from task_events e where e.task_id = new.task_id and e.event = 'closed')`,
      'a run is reached when its eight conditions are met': `new.reached <> not exists (select from json_array_elements(new.conditions) c where not coalesce((c->>'met')::boolean, false)) or json_array_length(new.conditions) <> 8`,
    },
  }),
]
