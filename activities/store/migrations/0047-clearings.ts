import { digest, refusal } from './columns.ts'

const reviewing = `array['review_state','review_decision_id','reviewed_at']`

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
  `create function clearings_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op = 'DELETE'`, 'a clearing is never deleted')}
    if tg_op = 'INSERT' then
      ${refusal(`new.review_state <> 'waiting'`, 'a review begins as waiting')}
      ${refusal(
        `new.review_state is not null and not exists (select from tasks t where t.task_id = new.task_id
          and t.usage = 'operational')`,
        'only operational runs are reviewed',
      )}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - ${reviewing} <> to_jsonb(old) - ${reviewing}`,
      'what a clearing says never changes',
    )}
    ${refusal(`old.review_state is distinct from 'waiting'`, 'a clearing is reviewed once')}
    return new;
  end $$`,
  `create trigger clearings_guard before insert or update or delete on clearings
    for each row execute function clearings_guard()`,
]
