import { digest, refusal } from './columns.ts'
import { changesMoreThan, guard } from './guards.ts'

const receipt = 'text not null unique references receipts deferrable initially deferred'
const decisions = `'eligible_to_continue','human_review_required','payment_hold'`
const written = `array['due_at','proof_id']`

/**
 * Commerce proofs, the consent of their agents to publication, and the view of what the activity feed shows; analyses of evidence with the
 * model calls of a day that they reserve, relays, the runs whose package is proven once they close, and clearings of runs.
 */
export const commerce: readonly string[] = [
  `create table commerce_proofs (
    proof_id text primary key check (proof_id ~ '^cp_[0-9a-f]{64}$'),
    call_id text not null unique,
    agent_id text references agents,
    credential_id text references agent_credentials,
    mission_kind text not null
      check (mission_kind in ('rail_run','work_order_delivery','agent_handoff','pilot_delivery','free_proof')),
    mission_sha256 text not null ${digest('mission_sha256')},
    protocol_binding text check (protocol_binding in ('mcp','http','a2a','x402','ap2')),
    usage text not null check (usage in ('synthetic','operational','unspecified')),
    request json not null,
    request_sha256 text not null check (request_sha256 = encode(sha256(convert_to(request::text, 'UTF8')), 'hex')),
    package_sha256 text not null ${digest('package_sha256')},
    payment_reference_id text references payment_references,
    decision text not null check (decision in (${decisions})),
    packet json not null,
    packet_sha256 text not null check (packet_sha256 = encode(sha256(convert_to(packet::text, 'UTF8')), 'hex')),
    receipt_id ${receipt},
    passport_receipt_id ${receipt},
    review_state text check (review_state in ('waiting','approved','rejected')),
    review_decision_id text,
    evaluated_at timestamptz not null,
    reviewed_at timestamptz,
    check ((agent_id is null) = (credential_id is null)),
    check (review_state is null or (decision = 'human_review_required' and agent_id is not null)),
    check (coalesce(review_state in ('approved','rejected'), false) = (review_decision_id is not null)),
    check ((review_decision_id is null) = (reviewed_at is null))
  )`,
  `create index commerce_proofs_package on commerce_proofs (package_sha256, evaluated_at)`,
  `create index commerce_proofs_agent on commerce_proofs (agent_id, evaluated_at) where agent_id is not null`,
  `create index commerce_proofs_payment on commerce_proofs (payment_reference_id) where payment_reference_id is not null`,
  `create index commerce_proofs_waiting on commerce_proofs (evaluated_at) where review_state = 'waiting'`,
  `create index commerce_proofs_newest on commerce_proofs (evaluated_at desc)`,
  ...guard('commerce_proofs', {
    deleted: 'a proof is never deleted',
    inserted: { 'a review begins as waiting': `new.review_state <> 'waiting'` },
    updated: {
      'what a proof says never changes': changesMoreThan(
        'review_state, review_decision_id, reviewed_at',
      ),
      'a proof is reviewed once': `old.review_state is distinct from 'waiting'`,
    },
  }),
  `create table commerce_consents (
    proof_id text not null references commerce_proofs,
    seq integer not null check (seq >= 1),
    consents boolean not null,
    receipt_id ${receipt},
    given_at timestamptz not null,
    primary key (proof_id, seq)
  )`,
  `create index commerce_consents_newest on commerce_consents (given_at desc) where consents`,
  // Consent is given and withdrawn in turn, by the agent of the proof alone.
  `create function commerce_consents_guard() returns trigger language plpgsql as $$
  declare last commerce_consents;
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'a consent stays as it was written')}
    ${refusal(
      `(select agent_id from commerce_proofs p where p.proof_id = new.proof_id) is null`,
      'only an agent consents',
    )}
    select * into last from commerce_consents c where c.proof_id = new.proof_id order by c.seq desc limit 1;
    ${refusal(
      `new.seq <> coalesce(last.seq, 0) + 1 or new.consents = coalesce(last.consents, false)`,
      'consent is given and withdrawn in turn',
    )}
    return new;
  end $$`,
  `create trigger commerce_consents_guard before insert or update or delete on commerce_consents
    for each row execute function commerce_consents_guard()`,
  // A proof moves no money: no posting is ever made under one of its receipts.
  `create function commerce_moves_no_money() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `exists (select from receipts r join commerce_proofs p on p.proof_id = r.subject where r.receipt_id = new.receipt_id)`,
      'a proof moves no money',
    )}
    return new;
  end $$`,
  `create trigger commerce_moves_no_money before insert on postings for each row execute function commerce_moves_no_money()`,
  // The conditions of the feed: a credential of an agent that is trusted now, the latest consent, a receipt of a key that was good and that is in the log, a record.
  `create view commerce_activity (proof_id, agent_id, mission_kind, protocol_binding, usage, decision, review_state, receipt_id,
      passport_receipt_id, evaluated_at, published_at) as
    select p.proof_id, p.agent_id, p.mission_kind, p.protocol_binding, p.usage,
        case when p.review_state = 'approved' then 'eligible_to_continue' else p.decision end, p.review_state, p.receipt_id,
        p.passport_receipt_id, p.evaluated_at, c.given_at
      from commerce_proofs p
      join commerce_consents c on c.proof_id = p.proof_id and c.consents
        and not exists (select from commerce_consents later where later.proof_id = c.proof_id and later.seq > c.seq)
      join agents a on a.agent_id = p.agent_id and a.trust_state = 'trusted'
      join receipts r on r.receipt_id = p.receipt_id
      join signing_keys k on k.ring = 'receipt' and k.kid = r.kid and (k.revoked_at is null or r.issued_at < k.revoked_at)
      join log_leaves l on l.entry = log_entry(r.jws)
      where p.credential_id is not null`,
  `create table evidence_analyses (
    analysis_id text primary key check (analysis_id ~ '^an_[0-9a-f]{64}$'),
    agent_id text references agents,
    analysis json not null,
    analysis_sha256 text not null
      check (analysis_sha256 = encode(sha256(convert_to(analysis::text, 'UTF8')), 'hex')),
    proof_id text not null unique references commerce_proofs,
    made_at timestamptz not null default clock_timestamp()
  )`,
  ...guard('evidence_analyses', {
    kept: 'an analysis stays as it was written',
    inserted: {
      'an analysis is of the agent of its proof': `(select p.agent_id from commerce_proofs p where p.proof_id = new.proof_id) is distinct from new.agent_id`,
    },
  }),
  `create table analysis_calls (
    day date not null,
    scope text not null check (scope ~ '^(anonymous|agents|caller:[0-9a-f]{64})$'),
    calls integer not null check (calls > 0),
    primary key (day, scope)
  )`,
  `create table proof_relays (
    relay_id text primary key check (relay_id ~ '^rly_[0-9a-f]{64}$'),
    agent_id text references agents,
    analysis_id text references evidence_analyses,
    payment_reference_id text references payment_references,
    event_id text not null unique references usage_events,
    receipt_id text not null unique references receipts deferrable initially deferred,
    relayed_at timestamptz not null default clock_timestamp()
  )`,
  // What a relay used is counted against its caller, and costs no credit.
  ...guard('proof_relays', {
    kept: 'a relay stays as it was written',
    inserted: {
      'the use of a relay is of its caller': `not exists (select from usage_events e where e.event_id = new.event_id and e.credit_units = 0
        and e.agent_id is not distinct from new.agent_id and e.subject = new.relay_id)`,
    },
  }),
  `create table proof_loops (
    task_id text primary key references tasks,
    agent_id text not null references agents,
    credential_id text not null references agent_credentials,
    begun_at timestamptz not null default clock_timestamp(),
    due_at timestamptz,
    proof_id text unique references commerce_proofs,
    check (proof_id is null or due_at is not null)
  )`,
  `create index proof_loops_due on proof_loops (due_at) where due_at is not null and proof_id is null`,
  ...guard('proof_loops', {
    deleted: 'a loop is never deleted',
    inserted: {
      'a loop begins with the task of its agent, unproven': `new.due_at is not null or new.agent_id is distinct from (select t.agent_id from tasks t where t.task_id = new.task_id)`,
    },
    updated: {
      'a loop is proven once and stays as it was begun': `to_jsonb(new) - ${written} <> to_jsonb(old) - ${written} or old.proof_id is not null`,
      'a loop is proven when its task has closed': `not exists (select from task_events e where e.task_id = new.task_id and e.event = 'closed')`,
    },
  }),
  // One for each head of a task's ledger and state of its payment.
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
