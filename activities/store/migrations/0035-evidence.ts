import { refusal } from './columns.ts'

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
  `create function evidence_analyses_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'an analysis stays as it was written')}
    ${refusal(
      `(select p.agent_id from commerce_proofs p where p.proof_id = new.proof_id) is distinct from new.agent_id`,
      'an analysis is of the agent of its proof',
    )}
    return new;
  end $$`,
  `create trigger evidence_analyses_guard before insert or update or delete on evidence_analyses
    for each row execute function evidence_analyses_guard()`,
]
