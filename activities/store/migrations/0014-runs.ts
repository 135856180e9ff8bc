import { digest, recordKind } from './columns.ts'
import { guard, keepRows, operatorsAct } from './guards.ts'

const attested = (subject: string) => `select t.task_id, r.kind, r.receipt_id, r.issued_at
    from tasks t join receipts r on r.subject = t.${subject} where r.kind = 'attestation' and r.set_aside_at is null`

/**
 * Runs with the steps of their loop and their return packages, the calls of models with the tokens that they reserve and the drafts that
 * were made of them, and a view of all runtime records of a task.
 */
export const runs: readonly string[] = [
  // `step` is the next one to run, and null once the run is attested or its task is closed without that.
  `create table runs (
    run_id text primary key check (run_id ~ '^run_[0-9a-f]{64}$'),
    task_id text not null unique references tasks,
    attempt integer not null default 0 check (attempt >= 0),
    round integer not null default 0 check (round between 0 and 3),
    step text check (step in ('intake','planner','worker','validator','exception_agent','revision_loop','review_step','return_package','attestation')),
    started_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    changed_at timestamptz not null default clock_timestamp(),
    ${recordKind('task_run')},
    check (step is null or finished_at is null)
  )`,
  `alter table tasks add constraint tasks_run foreign key (run_id) references runs deferrable initially deferred`,
  `create index runs_at_step on runs (step) where step is not null`,
  `create table loop_steps (
    run_id text not null references runs,
    attempt integer not null,
    round integer not null check (round between 0 and 3),
    step text not null check (step in ('intake','planner','worker','validator','exception_agent','revision_loop','review_step','return_package','attestation')),
    verdict text check (verdict in ('done','refused','too_complex','gaps','revise','reject')),
    output json,
    output_sha256 text,
    decided_by text,
    started_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz,
    tries integer not null default 1 check (tries > 0),
    primary key (run_id, attempt, round, step),
    check ((verdict is null) = (finished_at is null) and (verdict is null) = (output is null)),
    check ((output is null) = (output_sha256 is null)),
    check (output_sha256 = encode(sha256(convert_to(output::text, 'UTF8')), 'hex')),
    check (verdict is not null or step = 'review_step'),
    check (step <> 'review_step' or verdict is null or decided_by is not null),
    constraint loop_steps_too_complex_check check (verdict <> 'too_complex' or step in ('worker','validator'))
  )`,
  `create index loop_steps_in_review on loop_steps (started_at) where step = 'review_step' and verdict is null`,
  // A step follows the end of the step before it. A further round follows a verdict to revise.
  `create function loop_steps_guard() returns trigger language plpgsql as $$
  declare steps text[] := array['intake','planner','worker','validator','exception_agent','revision_loop','review_step','return_package','attestation'];
    at integer := array_position(steps, new.step);
  begin
    if tg_op = 'UPDATE' then
      if old.verdict is not null or (old.run_id, old.attempt, old.round, old.step, old.started_at) is distinct from (new.run_id, new.attempt, new.round, new.step, new.started_at)
      then raise exception 'a step that has ended stays so' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if at = 1 and new.round = 0 then return new; end if;
    if new.step = 'worker' and new.round > 0 then
      if exists (select 1 from loop_steps where run_id = new.run_id and attempt = new.attempt and round = new.round - 1
        and step in ('revision_loop','review_step') and verdict = 'revise') then return new; end if;
    elsif at > 1 and exists (select 1 from loop_steps where run_id = new.run_id and attempt = new.attempt and round = new.round
        and step = steps[at - 1] and verdict = 'done') then return new;
    -- A waived gap: the work continues with what there is.
    elsif new.step = 'revision_loop' and exists (select 1 from loop_steps where run_id = new.run_id and attempt = new.attempt
        and round = new.round and step = 'exception_agent' and verdict = 'gaps') then return new;
    end if;
    raise exception 'the step % has not been reached', new.step using errcode = 'check_violation';
  end $$`,
  `create trigger loop_steps_guard before insert or update on loop_steps for each row execute function loop_steps_guard()`,
  // A step names who decided it: the sandbox's policy for its own tasks, or the operator of a stored decision about this run.
  `create function loop_steps_decided() returns trigger language plpgsql as $$
  begin
    if not (new.decided_by = 'sandbox_policy' and exists (select from runs r join tasks t using (task_id)
        where r.run_id = new.run_id and t.review_decision = 'sandbox_policy'))
      and not exists (select from review_decisions d where d.decision_id = new.output->>'decision_id' and d.subject_kind = 'loop_step'
        and d.subject_id = new.run_id and d.decision = new.output->>'decision' and 'operator:' || d.operator_id = new.decided_by)
    then raise exception 'an operator is named for an own decision' using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger loop_steps_decided after insert or update on loop_steps deferrable initially deferred for each row
    when (new.decided_by is not null) execute function loop_steps_decided()`,
  operatorsAct('loop_steps', 'decided_by'),
  // Counts how often a step began, so that a step that exceeds a limit is not repeated without end.
  `create table step_attempts (
    run_id text not null references runs,
    attempt integer not null,
    round integer not null,
    step text not null check (step in ('worker','validator')),
    begun integer not null check (begun between 0 and 3),
    primary key (run_id, attempt, round, step)
  )`,
  `create table return_packages (
    return_package_id text primary key check (return_package_id ~ '^rp_[0-9a-f]{64}$'),
    run_id text not null unique references runs,
    partial boolean not null,
    package json not null,
    manifest_sha256 text not null ${digest('manifest_sha256')},
    result_sha256 text not null ${digest('result_sha256')},
    proof_hash text not null ${digest('proof_hash')},
    completion_signature text not null,
    made_at timestamptz not null default clock_timestamp(),
    ${recordKind('result_contract')}
  )`,
  ...keepRows('return_packages', 'a return package stays as it was made'),
  `alter table task_events add constraint task_events_package foreign key (return_package_id)
    references return_packages deferrable initially deferred`,
  // A result is the package of the task's own run, attested by the receipt of this run and charged by that of the task's credit.
  `create function task_events_evidenced() returns trigger language plpgsql as $$
  declare is_own boolean;
  begin
    is_own := case new.event
      when 'result_produced' then exists (select from return_packages p join runs r using (run_id)
        where p.return_package_id = new.return_package_id and r.task_id = new.task_id and p.result_sha256 = new.data->>'result_sha256')
      when 'result_attested' then exists (select from receipts c join runs r on r.run_id = c.subject
        where c.receipt_id = new.receipt_id and c.kind = 'attestation' and r.task_id = new.task_id)
      else exists (select from task_credits c where c.task_id = new.task_id and c.usage_receipt_id = new.receipt_id)
    end;
    if not is_own then raise exception 'the evidence of % is not that of its task', new.event using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger task_events_evidenced after insert on task_events deferrable initially deferred for each row
    when (new.event in ('result_produced','result_attested','receipts_issued')) execute function task_events_evidenced()`,
  `create table model_budgets (
    scope text primary key check (scope ~ '^((day|analyses|anonymous):[0-9]{4}-[0-9]{2}-[0-9]{2}|subject:[a-z]{2,8}_[0-9a-f]{64})$'),
    tokens bigint not null check (tokens >= 0)
  )`,
  `create table model_calls (
    subject text not null check (subject ~ '^[a-z]{2,8}_[0-9a-f]{64}$'),
    prompt_sha256 text not null ${digest('prompt_sha256')},
    prompt json,
    attempts integer not null default 0 check (attempts between 0 and 2),
    output json,
    output_sha256 text,
    asked_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    primary key (subject, prompt_sha256),
    check ((output is null) = (prompt is not null)),
    check ((output is null) = (output_sha256 is null)),
    check ((output is null) = (answered_at is null)),
    check (output_sha256 = encode(sha256(convert_to(output::text, 'UTF8')), 'hex'))
  )`,
  `create table run_drafts (
    run_id text not null references runs,
    attempt integer not null check (attempt >= 0),
    round integer not null check (round >= 0),
    drafts json not null,
    drafts_sha256 text not null
      check (drafts_sha256 = encode(sha256(convert_to(drafts::text, 'UTF8')), 'hex')),
    primary key (run_id, attempt, round)
  )`,
  ...guard('model_calls', {
    deleted: 'a call of a model is never deleted',
    inserted: { 'a call begins without an output': `new.output is not null or new.attempts <> 0` },
    updated: {
      'the output of a call never changes': `old.output is not null`,
      'what a call asked never changes': `new.subject <> old.subject or new.prompt_sha256 <> old.prompt_sha256`,
    },
  }),
  ...keepRows('run_drafts', 'the drafts of a run never change'),
  `create view task_records (task_id, record_kind, record_id, recorded_at) as
    select t.task_id, r.kind, r.receipt_id, r.issued_at
      from tasks t join receipts r on r.subject = t.agent_id where r.kind = 'onboarding' and r.set_aside_at is null
    union all select t.task_id, a.record_kind, a.agent_id, a.created_at from tasks t join agents a using (agent_id)
    union all select t.task_id, c.record_kind, c.credential_id, c.created_at from tasks t join agent_credentials c using (agent_id)
    union all select c.task_id, q.record_kind, q.quote_id, q.issued_at from task_credits c join quotes q using (quote_id)
    union all select c.task_id, 'provider_route', q.provider_route->>'route_id', q.issued_at
      from task_credits c join quotes q using (quote_id)
    union all select c.task_id, e.record_kind, e.entitlement_id, e.created_at
      from task_credits c join entitlements e using (entitlement_id)
    union all select task_id, record_kind, contract_id, created_at from contracts where state <> 'void'
    union all select task_id, record_kind, run_id, started_at from runs
    union all select task_id, record_kind, hash, at from task_events
    union all select r.task_id, p.record_kind, p.return_package_id, p.made_at from runs r join return_packages p using (run_id)
    union all select c.task_id, r.kind, r.receipt_id, r.issued_at from task_credits c
      join entitlements e using (entitlement_id) join receipts r on r.receipt_id = e.settlement_receipt_id
    union all select c.task_id, r.kind, r.receipt_id, r.issued_at
      from task_credits c join receipts r on r.receipt_id = c.usage_receipt_id
    union all select t.task_id, d.record_kind, d.delivery_id, d.created_at
      from tasks t join callback_deliveries d on d.subject = t.task_id and d.event = 'task_updated'
    union all select r.task_id, u.record_kind, u.event_id, u.recorded_at from runs r join usage_events u using (run_id)
    union all ${attested('run_id')}
    union all ${attested('task_id')}`,
]
