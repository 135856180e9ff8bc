import { guard } from './guards.ts'

/** Production runs of agents for the accounts of their customers, each bound to the audit event of its write. */
export const customerRuns: readonly string[] = [
  `create table customer_runs (
    task_id text primary key references tasks,
    audit_event_id text not null unique references production_writes,
    asked_sha256 text not null check (asked_sha256 ~ '^[0-9a-f]{64}$'),
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    started_at timestamptz not null default clock_timestamp()
  )`,
  `create index customer_runs_account on customer_runs (customer_account, started_at)`,
  `create index first_paid_runs_account on first_paid_runs (customer_account, started_at)`,
  ...guard('customer_runs', {
    kept: 'a production run stays as it was written',
    inserted: {
      'the audit event of a run is that of its own write': `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
        and w.kind = 'written' and w.subject = new.task_id)`,
    },
  }),
]
