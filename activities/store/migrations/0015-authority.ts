import { actionStates, actionTransitions } from '#domain/authority/facts.ts'
import { id, movesOtherwise, oneOf, refusal } from './columns.ts'
import { changesMoreThan, guard, guardMandates, keepRows, operatorsAct } from './guards.ts'

/** Compares the totals of a mandate with what was charged to it, at the end of each transaction that changes the table. */
export const checkTotalsOf = (table: string): string =>
  `create constraint trigger authority_totals after insert or update or delete on ${table}
    deferrable initially deferred for each row execute function authority_totals_guard()`

/**
 * Mandates of the authority with their used totals, grants, decisions, the actions that agents execute under them, and the open payment
 * mandates of AP2 with the payments that were made under them.
 */
export const authority: readonly string[] = [
  `create table authority_drafts (
    ${id('draft_id', 'dr')},
    terms json not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null
  )`,
  `create index authority_drafts_expired on authority_drafts (expires_at)`,
  `create table authority_mandates (
    ${id('mandate_id', 'mdt')},
    agent_id text not null references agents,
    document json not null,
    per_action_usd integer not null check (per_action_usd >= 0),
    total_usd integer not null check (total_usd >= 0),
    actions_max integer not null check (actions_max between 1 and 10000),
    valid_from timestamptz not null,
    expires_at timestamptz not null check (expires_at > valid_from),
    used_usd integer not null default 0,
    used_actions integer not null default 0,
    issued_by text not null,
    issued_at timestamptz not null default clock_timestamp(),
    revoked_at timestamptz,
    revoked_by text,
    revoke_reason text,
    check (per_action_usd <= total_usd),
    check (used_usd between 0 and total_usd),
    check (used_actions between 0 and actions_max),
    check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revoke_reason is null))
  )`,
  `create index authority_mandates_issued on authority_mandates (issued_at)`,
  `create index authority_mandates_live on authority_mandates (expires_at) where revoked_at is null`,
  `create index authority_mandates_revoked on authority_mandates (revoked_at) where revoked_at is not null`,
  `create index authority_mandates_agent on authority_mandates (agent_id)`,
  `create table action_grants (
    ${id('grant_id', 'gr')},
    mandate_id text not null references authority_mandates,
    agent_id text not null references agents,
    operation_id text not null,
    input_sha256 text not null check (input_sha256 ~ '^[0-9a-f]{64}$'),
    spend_usd_max integer not null check (spend_usd_max >= 0),
    document json not null,
    state text not null default 'issued' check (state in ('issued','consumed','revoked')),
    issued_by text not null,
    issued_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    check (expires_at <= issued_at + interval '301 seconds')
  )`,
  `create index action_grants_mandate on action_grants (mandate_id, state)`,
  `create index action_grants_issued on action_grants (issued_at)`,
  `create table authority_decisions (
    ${id('decision_id', 'dec')},
    purpose text not null check (purpose in ('evaluate','grant','execute')),
    mandate_id text,
    grant_id text,
    agent_id text,
    operation_id text not null,
    input_sha256 text not null,
    price_usd integer,
    decision text not null check (decision in ('allow','deny')),
    rules json not null,
    receipt_id text not null references receipts (receipt_id),
    decided_at timestamptz not null default clock_timestamp()
  )`,
  `create index authority_decisions_mandate on authority_decisions (mandate_id, decided_at)`,
  `create table delegated_actions (
    ${id('action_id', 'da')},
    grant_id text not null references action_grants,
    mandate_id text not null references authority_mandates,
    agent_id text not null references agents,
    credential_id text not null references agent_credentials,
    operation_id text not null,
    input json,
    input_sha256 text not null,
    call_id text not null,
    operation_call_id text not null,
    price_usd integer not null check (price_usd >= 0),
    released_usd integer check (released_usd in (0, price_usd)),
    state text not null default 'reserved' ${oneOf('state', actionStates)},
    status integer check (status between 200 and 299),
    result json,
    refusal json,
    document json,
    receipt_id text references receipts (receipt_id),
    reserved_at timestamptz not null default clock_timestamp(),
    started_at timestamptz,
    finished_at timestamptz,
    check ((state = 'done') = (result is not null) and (state = 'done') = (status is not null)
      and (state = 'done') = (document is not null) and (state = 'done') = (receipt_id is not null)),
    check ((state = 'refused') = (refusal is not null)),
    check ((state in ('done','refused')) = (finished_at is not null)),
    check (state not in ('started','done') or started_at is not null),
    check ((state in ('reserved','started')) = (input is not null))
  )`,
  // A grant has one live action, and a call of an operation works for one grant.
  `create unique index delegated_actions_grant on delegated_actions (grant_id) where state <> 'refused'`,
  `create unique index delegated_actions_call on delegated_actions (operation_call_id) where state <> 'refused'`,
  `create index delegated_actions_mandate on delegated_actions (mandate_id)`,
  // The prices of workflows that no run has used yet. A first run uses one (released 0), or it is given back.
  `create index delegated_actions_held on delegated_actions (mandate_id)
    where operation_id = 'customer-workflow-create' and state <> 'refused' and released_usd is null`,
  `create index delegated_actions_reserved on delegated_actions (reserved_at)`,
  `create index delegated_actions_open on delegated_actions (action_id) where state in ('reserved','started')`,
  ...guard('authority_mandates', {
    updated: {
      'the terms of a mandate do not change': changesMoreThan(
        'used_usd, used_actions, revoked_at, revoked_by, revoke_reason',
      ),
      'a revoked mandate permits nothing more': `old.revoked_at is not null and (new.revoked_at is distinct from old.revoked_at or new.used_usd > old.used_usd or new.used_actions > old.used_actions)`,
    },
  }),
  operatorsAct('authority_mandates', 'issued_by'),
  operatorsAct('authority_mandates', 'revoked_by'),
  ...guard('action_grants', {
    updated: {
      'the terms of a grant do not change': `to_jsonb(new) - 'state' <> to_jsonb(old) - 'state'`,
      'a revoked grant stays revoked': `old.state = 'revoked' and new.state <> 'revoked'`,
      'the grant of an action stays consumed': `old.state = 'consumed' and new.state <> 'consumed' and exists (select 1 from delegated_actions a where a.grant_id = new.grant_id and a.state <> 'refused')`,
    },
  }),
  operatorsAct('action_grants', 'issued_by'),
  `create function delegated_actions_guard() returns trigger language plpgsql as $$
  declare
    mandate authority_mandates;
  begin
    if tg_op = 'INSERT' or (old.state = 'reserved' and new.state = 'started') then
      select * into mandate from authority_mandates m where m.mandate_id = new.mandate_id for share;
      ${refusal(
        `mandate.revoked_at is not null or clock_timestamp() < mandate.valid_from or (tg_op = 'INSERT' and clock_timestamp() >= mandate.expires_at)`,
        'the mandate is not in force',
      )}
      ${refusal(
        `new.agent_id <> mandate.agent_id or new.price_usd > mandate.per_action_usd`,
        'the mandate does not permit the action',
      )}
    end if;
    if tg_op = 'INSERT' then
      ${refusal(
        `not exists (select 1 from action_grants g where g.grant_id = new.grant_id and g.state = 'consumed' and g.mandate_id = new.mandate_id
          and g.agent_id = new.agent_id and g.operation_id = new.operation_id and g.input_sha256 = new.input_sha256 and new.price_usd <= g.spend_usd_max)`,
        'the grant does not permit the action',
      )}
      return new;
    end if;
    if new.released_usd is distinct from old.released_usd then
      ${refusal(
        `old.released_usd is not null or new.state = 'refused' or to_jsonb(new) - 'released_usd' <> to_jsonb(old) - 'released_usd'`,
        'a price is used or given back once',
      )}
      ${refusal(
        `not exists (select 1 from customer_workflows w where w.action_id = new.action_id and (new.released_usd = 0
          or w.state in ('rejected','deleted') or exists (select 1 from authority_mandates m where m.mandate_id = new.mandate_id
            and (m.revoked_at is not null or m.expires_at <= clock_timestamp()))))`,
        'a price is given back when its workflow is over',
      )}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - array['state','status','result','refusal','document','receipt_id','started_at','finished_at','input']
        <> to_jsonb(old) - array['state','status','result','refusal','document','receipt_id','started_at','finished_at','input']`,
      'an action stays what it was reserved for',
    )}
    ${refusal(
      `old.state = new.state or (${movesOtherwise('state', actionTransitions)})`,
      'an action does not move this way',
    )}
    return new;
  end $$`,
  `create trigger delegated_actions_guard before insert or update on delegated_actions
    for each row execute function delegated_actions_guard()`,
  // What delegated workflows fire is charged to their mandates too; a charge of 0 uses what the action that made the workflow has paid.
  // What is given back is no longer used; the action stays counted.
  `create function authority_totals_guard() returns trigger language plpgsql as $$
  declare
    id text := coalesce(new.mandate_id, old.mandate_id);
  begin
    ${refusal(
      `exists (select 1 from authority_mandates m where m.mandate_id = id and (m.used_usd, m.used_actions) <>
        (select coalesce(sum(c.usd), 0)::integer, count(*)::integer from (
          select a.price_usd - coalesce(a.released_usd, 0) as usd from delegated_actions a where a.mandate_id = id and a.state <> 'refused'
          union all select f.charged_usd from workflow_firings f where f.mandate_id = id and f.charged_usd > 0) c))`,
      'the used totals of a mandate are not those of its actions and firings',
    )}
    return null;
  end $$`,
  checkTotalsOf('authority_mandates'),
  checkTotalsOf('delegated_actions'),
  // A delegated start takes no credit that was paid by what its mandate does not name.
  `create function task_credits_payer() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `exists (select from entitlements e, task_events t
          join delegated_actions a on a.operation_call_id = t.event_id and a.state <> 'refused' join authority_mandates m using (mandate_id)
        where e.entitlement_id = new.entitlement_id and e.state <> 'pending' and e.source not in ('clearing:sandbox','clearing:free')
          and t.task_id = new.task_id and t.sequence = 1 and json_array_length(m.document->'resources') > 0
          and not exists (select from json_array_elements_text(m.document->'resources') r where 'wallet:' || r = e.source
            or (e.source not like 'wallet:%' and (r = e.entitlement_id or exists (select from payment_references p
              where p.payment_reference_id = r and p.entitlement_id = e.entitlement_id and p.state = 'verified')))))`,
      'the mandate does not name what paid for the credit',
    )}
    return new;
  end $$`,
  `create trigger task_credits_payer before insert on task_credits for each row execute function task_credits_payer()`,
  ...keepRows('authority_decisions', 'a decision does not change'),
  `create table ap2_mandates (
    mandate_key text primary key check (mandate_key ~ '^[0-9a-f]{64}$'),
    mandate_id text unique check (mandate_id ~ '^mdt_[0-9a-f]{64}$'),
    agent_id text references agents,
    issuer text not null,
    document json,
    currency text check (currency ~ '^[A-Z]{3}$'),
    budget_minor bigint check (budget_minor >= 0),
    uses_max integer check (uses_max >= 0),
    expires_at timestamptz,
    issued_by text,
    known_since timestamptz not null default clock_timestamp(),
    revoked_at timestamptz,
    revoked_by text,
    revoke_reason text,
    check ((budget_minor is null) = (currency is null)),
    check ((mandate_id is null) = (document is null) and (mandate_id is null) = (issued_by is null)),
    check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revoke_reason is null))
  )`,
  `create index ap2_mandates_known on ap2_mandates (known_since)`,
  `create table ap2_payments (
    payment_reference_id text primary key references payment_references,
    mandate_key text not null references ap2_mandates,
    nonce text not null unique,
    closed_hash text not null,
    transaction_id text not null,
    amount_minor bigint not null check (amount_minor > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    instrument_type text not null,
    instrument_id text not null,
    paid_at timestamptz not null default clock_timestamp()
  )`,
  `create index ap2_payments_mandate on ap2_payments (mandate_key)`,
  ...guardMandates('ap2_mandates'),
  operatorsAct('ap2_mandates', 'issued_by'),
  operatorsAct('ap2_mandates', 'revoked_by'),
  // A payment that brought nothing is given back to the budget.
  `create function ap2_payments_guard() returns trigger language plpgsql as $$
  declare
    mandate ap2_mandates;
    spent bigint;
    uses integer;
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'what was paid under a mandate stays as it was written')}
    select * into mandate from ap2_mandates m where m.mandate_key = new.mandate_key for update;
    ${refusal(
      `mandate.revoked_at is not null or clock_timestamp() >= mandate.expires_at`,
      'the mandate is not in force',
    )}
    select coalesce(sum(p.amount_minor), 0), count(*) into spent, uses from ap2_payments p
      join payment_references r using (payment_reference_id)
      where p.mandate_key = new.mandate_key and r.state not in ('rejected','expired');
    ${refusal(
      `mandate.budget_minor is not null and (new.currency <> mandate.currency or spent + new.amount_minor > mandate.budget_minor)`,
      'the payment exceeds the budget of the mandate',
    )}
    ${refusal(`uses >= mandate.uses_max`, 'the mandate is used up')}
    return new;
  end $$`,
  `create trigger ap2_payments_guard before insert or update or delete on ap2_payments
    for each row execute function ap2_payments_guard()`,
]
