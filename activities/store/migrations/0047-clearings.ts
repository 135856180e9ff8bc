import { digest } from './columns.ts'
import { changesMoreThan, guard } from './guards.ts'

/** Clearings of runs: one for each head of a task's ledger and state of its payment. */
export const clearings: readonly string[] = [
  `create table clearings (
    clearing_id text primary key check (clearing_id ~ '^cl_[0-9a-f]{64}$'),
    task_id text not null references tasks,
    agent_id text references agents,
    ledger_head text not null ${digest('ledger_head')},
    payment_state text not null,
    asked_sha256 text not null ${digest('asked_sha256')},
    asked json not null,
    envelope json not null,
    checks json not null,
    payment_reference_id text references payment_references,
    proof_state text not null check (proof_state in ('missing','partial','proven','invalid')),
    decision text not null check (decision in ('cleared','retry','human_review','blocked')),
    receipt_id text not null unique references receipts,
    review_state text check (review_state in ('waiting','approved','rejected')),
    review_decision_id text,
    reviewed_at timestamptz,
    made_at timestamptz not null,
    unique (task_id, ledger_head, payment_state),
    check (review_state is null or (decision = 'human_review' and agent_id is not null)),
    check (coalesce(review_state in ('approved','rejected'), false) = (review_decision_id is not null)),
    check ((review_decision_id is null) = (reviewed_at is null))
  )`,
  `create index clearings_waiting on clearings (made_at) where review_state = 'waiting'`,
  `create index clearings_waiting_of on clearings (agent_id) where review_state = 'waiting'`,
  ...guard('clearings', {
    deleted: 'a clearing is never deleted',
    inserted: {
      'a review begins as waiting': `new.review_state <> 'waiting'`,
      'only operational runs are reviewed': `new.review_state is not null and not exists (select from tasks t where t.task_id = new.task_id
          and t.usage = 'operational')`,
    },
    updated: {
      'what a clearing says never changes': changesMoreThan(
        'review_state, review_decision_id, reviewed_at',
      ),
      'a clearing is reviewed once': `old.review_state is distinct from 'waiting'`,
    },
  }),
]
