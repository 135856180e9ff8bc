import { digest, refusal } from './columns.ts'
import { changesMoreThan, guard } from './guards.ts'

const receipt = 'text not null unique references receipts deferrable initially deferred'
const decisions = `'eligible_to_continue','human_review_required','payment_hold'`

/** Commerce proofs, the consent of their agents to publication, and the view of what the activity feed shows. */
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
]
