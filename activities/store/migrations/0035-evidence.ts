import { guard } from './guards.ts'

/** Analyses of evidence, the model calls of a day that they reserve, and budgets of tokens apart from those of runs. */
export const evidence: readonly string[] = [
  `create table evidence_analyses (
    analysis_id text primary key check (analysis_id ~ '^an_[0-9a-f]{64}$'),
    agent_id text references agents,
    analysis json not null,
    analysis_sha256 text not null
      check (analysis_sha256 = encode(sha256(convert_to(analysis::text, 'UTF8')), 'hex')),
    proof_id text not null unique references commerce_proofs,
    made_at timestamptz not null default clock_timestamp()
  )`,
  `create table analysis_calls (
    day date not null,
    scope text not null check (scope ~ '^(anonymous|agents|caller:[0-9a-f]{64})$'),
    calls integer not null check (calls > 0),
    primary key (day, scope)
  )`,
  `alter table model_budgets drop constraint model_budgets_scope_check`,
  `alter table model_budgets add constraint model_budgets_scope_check
    check (scope ~ '^((day|analyses|anonymous):[0-9]{4}-[0-9]{2}-[0-9]{2}|subject:[a-z]{2,8}_[0-9a-f]{64})$')`,
  ...guard('evidence_analyses', {
    kept: 'an analysis stays as it was written',
    inserted: {
      'an analysis is of the agent of its proof': `(select p.agent_id from commerce_proofs p where p.proof_id = new.proof_id) is distinct from new.agent_id`,
    },
  }),
  `create table proof_relays (
    relay_id text primary key check (relay_id ~ '^rly_[0-9a-f]{64}$'),
    agent_id text references agents,
    analysis_id text references evidence_analyses,
    payment_reference_id text references payment_references,
    event_id text not null unique references usage_events,
    receipt_id text not null unique references receipts deferrable initially deferred,
    relayed_at timestamptz not null default clock_timestamp()
  )`,
  `create index payment_references_agent on payment_references (agent_id, external_reference)`,
  // What a relay used is counted against its caller, and costs no credit.
  ...guard('proof_relays', {
    kept: 'a relay stays as it was written',
    inserted: {
      'the use of a relay is of its caller': `not exists (select from usage_events e where e.event_id = new.event_id and e.credit_units = 0
        and e.agent_id is not distinct from new.agent_id and e.subject = new.relay_id)`,
    },
  }),
]
