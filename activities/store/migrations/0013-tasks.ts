import { digest, recordKind } from './columns.ts'
import { operatorsAct } from './guards.ts'

const states = `'created','preflight_checked','contract_ready','contract_accepted','trust_pending','trusted','quoted','credit_pending','credit_funded','queued','operating','evidence_partial','result_ready','attested','receipt_issued','callback_pending','callback_delivered','exception_open','replay_ready','failed','closed'`
const worked = `'queued','operating','evidence_partial','result_ready','attested','receipt_issued','callback_pending','callback_delivered'`

/** Tasks with their ledger, contracts and credit, exceptions and recovery. */
export const tasks: readonly string[] = [
  // The state table. The ledger accepts only events that it lists.
  `create table task_transitions (from_state text not null, event text not null, to_state text not null, primary key (from_state, event, to_state))`,
  `insert into task_transitions values
    ('none','submit','created'),
    ('created','preflight_passed','preflight_checked'), ('created','preflight_rejected','failed'),
    ('created','exception_raised','exception_open'),
    ('preflight_checked','contract_prepared','contract_ready'), ('preflight_checked','exception_raised','exception_open'),
    ('contract_ready','contract_accepted','contract_accepted'), ('contract_ready','contract_declined','failed'),
    ('contract_ready','contract_lapsed','failed'), ('contract_ready','exception_raised','exception_open'),
    ('contract_accepted','trust_requested','trust_pending'), ('contract_accepted','exception_raised','exception_open'),
    ('trust_pending','trust_granted','trusted'), ('trust_pending','trust_denied','failed'),
    ('trust_pending','exception_raised','exception_open'),
    ('trusted','quote_issued','quoted'), ('trusted','exception_raised','exception_open'),
    ('quoted','credit_requested','credit_pending'), ('quoted','quote_lapsed','exception_open'),
    ('quoted','exception_raised','exception_open'),
    ('credit_pending','credit_funded','credit_funded'), ('credit_pending','credit_lapsed','exception_open'),
    ('credit_pending','exception_raised','exception_open'),
    ('credit_funded','enqueued','queued'), ('credit_funded','review_rejected','failed'),
    ('credit_funded','exception_raised','exception_open'),
    ('queued','started','operating'), ('queued','exception_raised','exception_open'),
    ('operating','evidence_missing','evidence_partial'), ('operating','result_produced','result_ready'),
    ('operating','exception_raised','exception_open'),
    ('evidence_partial','evidence_supplied','operating'), ('evidence_partial','evidence_waived','result_ready'),
    ('evidence_partial','exception_raised','exception_open'),
    ('result_ready','result_attested','attested'), ('result_ready','exception_raised','exception_open'),
    ('attested','receipts_issued','receipt_issued'), ('attested','exception_raised','exception_open'),
    ('receipt_issued','callback_scheduled','callback_pending'), ('receipt_issued','closed','closed'),
    ('receipt_issued','exception_raised','exception_open'),
    ('callback_pending','callback_delivered','callback_delivered'), ('callback_pending','exception_raised','exception_open'),
    ('callback_delivered','closed','closed'), ('callback_delivered','exception_raised','exception_open'),
    ('exception_open','input_proposed','exception_open'), ('exception_open','input_declined','exception_open'),
    ('exception_open','replay_prepared','replay_ready'), ('exception_open','abandoned','failed'),
    ('replay_ready','abandoned','failed'), ('replay_ready','replayed','created'),
    ('replay_ready','replayed','preflight_checked'), ('replay_ready','replayed','contract_ready'),
    ('replay_ready','replayed','contract_accepted'), ('replay_ready','replayed','trust_pending'),
    ('replay_ready','replayed','trusted'), ('replay_ready','replayed','quoted'), ('replay_ready','replayed','credit_pending'),
    ('replay_ready','replayed','credit_funded'), ('replay_ready','replayed','queued'), ('replay_ready','replayed','operating'),
    ('replay_ready','replayed','evidence_partial'), ('replay_ready','replayed','result_ready'),
    ('replay_ready','replayed','attested'), ('replay_ready','replayed','receipt_issued'),
    ('replay_ready','replayed','callback_pending'), ('replay_ready','replayed','callback_delivered'),
    ('failed','closed','closed')`,
  // Terms, inputs and evidence by digest. The text is canonical, so that the digest can be checked here.
  // An extraction is what this service read from a file: agents store inputs too, and an input may look like one.
  `create table task_documents (
    task_id text not null check (task_id ~ '^task-[0-9a-f]{64}$'),
    sha256 text not null,
    body json not null,
    stored_at timestamptz not null default clock_timestamp(),
    kind text not null default 'document' check (kind in ('document','extraction')),
    primary key (task_id, sha256),
    check (sha256 = encode(sha256(convert_to(body::text, 'UTF8')), 'hex'))
  )`,
  // The row stores no token: the task id holds its digest.
  `create table tasks (
    task_id text primary key check (task_id ~ '^task-[0-9a-f]{64}$'),
    state text not null check (state in (${states})),
    resume_state text check (resume_state not in ('exception_open','replay_ready','failed','closed')),
    sequence integer not null check (sequence > 0),
    head_hash text not null ${digest('head_hash')},
    agent_id text,
    -- Whose processor time it takes, where no trusted agent or operator answers for it.
    network text,
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    usage text not null check (usage in ('synthetic','operational')),
    on_gaps text not null check (on_gaps in ('ask','report')),
    callback_url text,
    terms_sha256 text not null,
    input_sha256 text,
    review_decision text,
    contract_id text,
    quote_id text,
    quote_expires_at timestamptz,
    entitlement_id text,
    run_id text,
    due_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    foreign key (task_id, terms_sha256) references task_documents,
    foreign key (task_id, input_sha256) references task_documents,
    check ((resume_state is not null) = (state in ('exception_open','replay_ready'))),
    -- A task runs only after a review decision, and the sandbox's own decision covers synthetic tasks only.
    check (state not in (${worked}) or (review_decision is not null and input_sha256 is not null)),
    check (review_decision is distinct from 'sandbox_policy' or usage = 'synthetic')
  )`,
  `create index tasks_at_work on tasks (state, agent_id, changed_at) where state in ('queued','operating')`,
  `create index tasks_unfinished on tasks (changed_at) where state <> 'closed'`,
  `create index tasks_of_agent on tasks (agent_id, created_at)`,
  `create index tasks_begun on tasks (created_at desc) where usage = 'operational' and run_id is not null`,
  `create index tasks_newest on tasks (created_at desc, task_id)`,
  `create index tasks_sandbox on tasks (created_at desc, task_id) where agent_id is null and usage = 'synthetic'`,
  `create index tasks_paid_of_agent on tasks (agent_id, changed_at desc) where usage = 'operational' and entitlement_id is not null`,
  `create index tasks_entitlement on tasks (entitlement_id) where entitlement_id is not null`,
  // The id that `runIdOf` computes, known from the submission on: a digest of canonical JSON. No character of a task id is escaped.
  `create function run_id_of(task_id text) returns text language sql immutable strict parallel safe as $$
    select 'run_' || encode(sha256(decode('{"task_id":"' || task_id || '","type":"service.run.v1"}', 'escape')), 'hex') $$`,
  `create unique index tasks_run_name on tasks (run_id_of(task_id))`,
  `create table task_events (
    task_id text not null references tasks,
    sequence integer not null,
    event_id text not null,
    event text not null,
    from_state text not null,
    to_state text not null,
    actor text not null check (actor ~ '^[a-z_]+(:[A-Za-z0-9._-]+)?$'),
    data json not null,
    data_sha256 text not null,
    -- The evidence that the event names.
    decision_id text generated always as (case event when 'enqueued' then nullif(data->>'review_decision', 'sandbox_policy')
      else data->>'decision_id' end) stored references review_decisions deferrable initially deferred,
    settlement_receipt_id text generated always as (data->>'settlement_receipt_id') stored references receipts,
    receipt_id text generated always as (coalesce(data->>'receipt_id', data->>'usage_receipt_id')) stored references receipts
      deferrable initially deferred,
    return_package_id text generated always as (data->>'return_package_id') stored,
    at timestamptz not null,
    prev_hash text not null,
    hash text not null,
    ${recordKind('lifecycle_event')},
    primary key (task_id, sequence),
    unique (task_id, event_id),
    unique (task_id, sequence, hash, to_state),
    foreign key (from_state, event, to_state) references task_transitions,
    check (data_sha256 = encode(sha256(convert_to(data::text, 'UTF8')), 'hex')),
    -- The hash of the canonical entry, computed a second time.
    check (hash = encode(sha256(convert_to('{"actor":"' || actor || '","at":"' || to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","data_sha256":"' || data_sha256 || '","event":"' || event || '","from_state":"' || from_state || '","prev_hash":"' || prev_hash
      || '","sequence":' || sequence || ',"to_state":"' || to_state || '"}', 'UTF8')), 'hex'))
  )`,
  // The state of a task is the state of the last entry of its ledger.
  `alter table tasks add constraint tasks_head foreign key (task_id, sequence, head_hash, state)
    references task_events (task_id, sequence, hash, to_state) deferrable initially deferred`,
  `create function task_events_guard() returns trigger language plpgsql as $$
  declare before record;
  begin
    if tg_op <> 'INSERT' then raise exception 'a ledger is only ever continued' using errcode = 'check_violation'; end if;
    if new.sequence = 1 then
      if new.prev_hash <> encode(sha256(convert_to('{"task_id":"' || new.task_id || '","type":"service.task.v1"}', 'UTF8')), 'hex')
      then raise exception 'a ledger begins with its task' using errcode = 'check_violation'; end if;
      return new;
    end if;
    select hash, to_state into before from task_events where task_id = new.task_id and sequence = new.sequence - 1;
    if before is null or new.prev_hash <> before.hash or new.from_state <> before.to_state
    then raise exception 'an entry follows the one before it' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger task_events_guard before insert or update or delete on task_events for each row execute function task_events_guard()`,
  `create function tasks_guard() returns trigger language plpgsql as $$
  declare moved record; kept text;
  begin
    if (old.task_id, old.agent_id, old.rail, old.tier, old.usage, old.on_gaps, old.terms_sha256, old.created_at)
       is distinct from (new.task_id, new.agent_id, new.rail, new.tier, new.usage, new.on_gaps, new.terms_sha256, new.created_at)
    then raise exception 'the terms of a task never change' using errcode = 'check_violation'; end if;
    if old.review_decision is distinct from new.review_decision and old.review_decision is not null
    then raise exception 'the review of a task stays as it was decided' using errcode = 'check_violation'; end if;
    if new.sequence = old.sequence then
      if (old.state, old.resume_state, old.head_hash) is distinct from (new.state, new.resume_state, new.head_hash)
      then raise exception 'a task moves by an entry of its ledger' using errcode = 'check_violation'; end if;
      return new;
    end if;
    select event into moved from task_events where task_id = new.task_id and sequence = new.sequence
      and from_state = old.state and prev_hash = old.head_hash and hash = new.head_hash and to_state = new.state;
    if new.sequence <> old.sequence + 1 or moved is null
    then raise exception 'a task moves by the next entry of its ledger' using errcode = 'check_violation'; end if;
    kept := case moved.event when 'exception_raised' then old.state when 'quote_lapsed' then 'trusted' when 'credit_lapsed' then 'quoted'
      when 'input_proposed' then old.resume_state when 'input_declined' then old.resume_state when 'replay_prepared' then old.resume_state end;
    if new.resume_state is distinct from kept or (moved.event = 'replayed' and new.state <> old.resume_state)
    then raise exception 'a task resumes where it was interrupted' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger tasks_guard before update on tasks for each row execute function tasks_guard()`,
  // A decision about this task, or about the order that it belongs to, approves it. The decision is stored later in its transaction.
  `create function tasks_reviewed() returns trigger language plpgsql as $$
  begin
    if not exists (select from review_decisions d where d.decision_id = new.review_decision and d.decision = 'approve'
      and ((d.subject_kind = 'task' and d.subject_id = new.task_id) or (d.subject_kind = 'work_order'
        and exists (select from work_order_tasks w where w.work_order_id = d.subject_id and w.task_id = new.task_id))))
    then raise exception 'a decision about the task itself approves it' using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger tasks_reviewed after update on tasks deferrable initially deferred for each row
    when (old.review_decision is distinct from new.review_decision) execute function tasks_reviewed()`,
  `create constraint trigger tasks_begun_reviewed after insert on tasks deferrable initially deferred for each row
    when (new.review_decision <> 'sandbox_policy') execute function tasks_reviewed()`,
  // A task is funded by the receipt that funded the credit which is set aside for it; credit of the sandbox is for test runs alone.
  `create function task_events_funded() returns trigger language plpgsql as $$
  begin
    if not exists (select from task_credits c join entitlements e using (entitlement_id) join tasks t using (task_id)
      where c.task_id = new.task_id and c.state <> 'released' and e.settlement_receipt_id = new.data->>'settlement_receipt_id'
        and (t.usage = 'synthetic' or e.source <> 'clearing:sandbox'))
    then raise exception 'a task is funded by the receipt of its own credit' using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create trigger task_events_funded after insert on task_events for each row when (new.event = 'credit_funded')
    execute function task_events_funded()`,
  // The ledger names an operator only for an act that is stored: a decision, a request or proposal of recovery, or a call. A proposal
  // moves nothing but itself until the owner accepts it.
  `create function task_events_operator() returns trigger language plpgsql as $$
  declare act text := split_part(new.event_id, ':', 1);
  begin
    if not exists (select from review_decisions d where d.decision_id = act and 'operator:' || d.operator_id = new.actor)
      and not exists (select from recovery_requests r where r.recovery_id = act and new.actor in (r.requested_by, r.decided_by)
        and (r.state <> 'proposed' or r.input_sha256 = new.data->>'proposed_input_sha256'))
      and not exists (select from calls c where c.call_id = act and c.caller = new.actor)
    then raise exception 'an operator is named for an own act' using errcode = 'check_violation'; end if;
    return null;
  end $$`,
  `create constraint trigger task_events_operator after insert on task_events deferrable initially deferred for each row
    when (new.actor like 'operator:%') execute function task_events_operator()`,
  `create table contracts (
    contract_id text primary key check (contract_id ~ '^ct_[A-Za-z0-9]+$'),
    task_id text not null references tasks,
    terms_sha256 text not null,
    state text not null check (state in ('ready','accepted','sealed','void')),
    accepted_by text,
    run_contract json,
    created_at timestamptz not null default clock_timestamp(),
    accepted_at timestamptz,
    sealed_at timestamptz,
    ${recordKind('run_contract')},
    foreign key (task_id, terms_sha256) references task_documents,
    check (state <> 'sealed' or run_contract is not null),
    check (state not in ('accepted','sealed') or accepted_by is not null)
  )`,
  `create unique index contracts_live on contracts (task_id) where state <> 'void'`,
  `create index contracts_accepted on contracts (accepted_at) where accepted_at is not null`,
  `create function contracts_guard() returns trigger language plpgsql as $$
  begin
    if (old.contract_id, old.task_id, old.terms_sha256, old.created_at) is distinct from (new.contract_id, new.task_id, new.terms_sha256, new.created_at)
      or (old.state, new.state) not in (('ready','accepted'), ('accepted','sealed'), ('ready','void'), ('accepted','void'))
    then raise exception 'no such contract transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger contracts_guard before update on contracts for each row execute function contracts_guard()`,
  operatorsAct('contracts', 'accepted_by'),
  `create table task_exceptions (
    exception_id text primary key check (exception_id ~ '^ex_[0-9a-f]{64}$'),
    task_id text not null references tasks,
    sequence integer not null,
    code text not null check (code in ('evidence_gap','input_invalid','input_too_complex','worker_failed',
      'validator_failed','payment_reversed','credit_mismatch','callback_failed','deadline_passed','operator_hold','caller_dispute')),
    detail text not null,
    state text not null check (state in ('open','recovery_requested','replay_ready','resolved','abandoned')),
    resume_state text,
    money_moved text not null check (money_moved in ('no','yes','unknown')),
    receipt_id text not null references receipts,
    opened_at timestamptz not null default clock_timestamp(),
    closed_at timestamptz,
    proposed_input_sha256 text,
    proposal_note text,
    declined json,
    unique (task_id, sequence),
    foreign key (task_id, sequence) references task_events,
    foreign key (task_id, proposed_input_sha256) references task_documents,
    check ((closed_at is not null) = (state in ('resolved','abandoned'))),
    -- Without a state to return to it stops nothing: its task waits for evidence, or is closed and disputed.
    check (resume_state is not null or code in ('evidence_gap','caller_dispute'))
  )`,
  `create unique index task_exceptions_open on task_exceptions (task_id, (resume_state is null)) where closed_at is null`,
  `create function task_exceptions_guard() returns trigger language plpgsql as $$
  begin
    if old.state = new.state and old.closed_at is null and new.closed_at is null then
      if to_jsonb(new) - array['proposed_input_sha256','proposal_note','declined'] <> to_jsonb(old) - array['proposed_input_sha256','proposal_note','declined']
        or not exists (select from task_events e join tasks t using (task_id) where e.task_id = new.task_id and e.sequence = t.sequence + 1
          and ((e.event = 'input_proposed' and e.data->>'proposed_input_sha256' = new.proposed_input_sha256)
            or (e.event = 'input_declined' and new.proposed_input_sha256 is null and e.data->>'declined_input_sha256' = old.proposed_input_sha256)))
      then raise exception 'a proposal changes by an entry of the ledger' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.state, new.state) not in (('open','recovery_requested'), ('open','replay_ready'), ('recovery_requested','replay_ready'),
      ('open','abandoned'), ('recovery_requested','abandoned'), ('replay_ready','abandoned'), ('replay_ready','resolved'))
      and not (old.resume_state is null and old.closed_at is null and new.state = 'resolved')
    then raise exception 'no such exception transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger task_exceptions_guard before update on task_exceptions for each row execute function task_exceptions_guard()`,
  `create table recovery_requests (
    recovery_id text primary key check (recovery_id ~ '^rec_[A-Za-z0-9]+$'),
    exception_id text not null references task_exceptions,
    action text not null check (action in ('supply_evidence','correct_input','retry_step','redeliver_callback','replay','abandon')),
    note text not null default '',
    input_sha256 text,
    state text not null default 'requested' check (state in ('requested','approved','refused','done','proposed')),
    requested_by text not null,
    requested_at timestamptz not null default clock_timestamp(),
    decided_by text,
    decided_at timestamptz,
    check ((decided_by is null) = (decided_at is null)),
    -- What an operator proposes is decided by another request: the owner's.
    check (state <> 'proposed' or (decided_by is null and input_sha256 is not null))
  )`,
  `create index recovery_requests_of on recovery_requests (exception_id, requested_at)`,
  `create index recovery_requests_waiting on recovery_requests (requested_at) where state = 'requested'`,
  // The credit that a task works for: reserved before its run, then used by its receipt or released.
  `create table task_credits (
    task_id text not null references tasks,
    quote_id text not null references quotes,
    entitlement_id text not null references entitlements,
    units integer not null check (units >= 0),
    state text not null check (state in ('reserved','used','released')),
    usage_receipt_id text unique references receipts,
    created_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    primary key (task_id, quote_id),
    check ((state = 'used') = (usage_receipt_id is not null))
  )`,
  `create unique index task_credits_live on task_credits (task_id) where state <> 'released'`,
  `create index task_credits_entitlement on task_credits (entitlement_id)`,
  // The credit reserved for tasks never exceeds the unspent grant. Concurrent reservations wait for each other.
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
  // Nothing is taken for a run that has ended.
  `create function payment_references_run() returns trigger language plpgsql as $$
  declare begun integer; unended integer;
  begin
    select count(*), count(*) filter (where t.state not in ('failed','closed')) into begun, unended
      from task_credits c join tasks t using (task_id) where c.entitlement_id = new.entitlement_id;
    if unended = 0 and begun >= (select case when q.task_id is null then q.units else 1 end
      from entitlements e join quotes q using (quote_id) where e.entitlement_id = new.entitlement_id)
    then raise exception 'the run that this would pay for has ended' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger payment_references_run before insert on payment_references for each row
    when (new.method in ('agent_allowance','x402_reference','ap2_mandate_reference')) execute function payment_references_run()`,
]
