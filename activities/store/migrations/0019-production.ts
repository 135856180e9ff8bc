import {
  cadences,
  workflowStates,
  workflowTransitions,
} from '#domain/production/customer-workflow.ts'
import { checkTotalsOf } from './0015-authority.ts'
import { digest, movesOtherwise, oneOf, refusal } from './columns.ts'
import { guard } from './guards.ts'

const computed = `array['conditions','reached','receipt_id','closed_at']`
const changing = `array['state','state_since','decision_id','credential_id','scheduled','accepted_terms','terms_sha256']`

/** Compares the customer account of a run with that of the write that admitted it. */
export const checkAccountOf = (table: string): string =>
  `create trigger ${table}_account before insert on ${table} for each row execute function customer_account_guard()`

/**
 * The audit events of the production write gate; the runs of agents for the accounts of their customers, each bound to the audit event of
 * its write, and those that are to be the first paid production run; customer accounts that agents activate; workflows of customers, and
 * what became of each firing, which cites the terms.
 */
export const production: readonly string[] = [
  `create table production_writes (
    audit_event_id text primary key check (audit_event_id ~ '^aud_[0-9a-f]{64}$'),
    kind text not null check (kind in ('validated','written')),
    operation_id text not null,
    rail text not null,
    agent_id text references agents,
    credential_id text references agent_credentials,
    tool text,
    subject text not null,
    payload_sha256 text ${digest('payload_sha256')},
    callback_sha256 text ${digest('callback_sha256')},
    checks json not null,
    passed boolean not null,
    receipt_id text references receipts,
    checked_at timestamptz not null default clock_timestamp(),
    customer_account text check (char_length(customer_account) between 1 and 160),
    check ((agent_id is null) = (credential_id is null)),
    check ((kind = 'validated') = (receipt_id is not null)),
    check (kind = 'validated' or (passed and agent_id is not null)),
    check (customer_account is null or kind = 'written')
  )`,
  `create index production_writes_operation on production_writes (operation_id, kind, passed)`,
  `create unique index production_writes_run on production_writes (subject) where customer_account is not null`,
  `create index production_writes_account on production_writes (customer_account, checked_at) where customer_account is not null`,
  `create index production_runs_newest on production_writes (checked_at desc, subject) where customer_account is not null`,
  // A write is recorded only for a live key of a trusted agent, whatever the code before it found.
  ...guard('production_writes', {
    kept: 'an audit event stays as it was written',
    inserted: {
      'a write passes when its five checks do': `new.passed <> not exists (select from json_array_elements(new.checks) c where not coalesce((c->>'ok')::boolean, false)) or json_array_length(new.checks) <> 5`,
      'a write needs a live key of a trusted agent': `new.kind = 'written' and not exists (select from agent_credentials c join agents a using (agent_id)
        where c.credential_id = new.credential_id and c.agent_id = new.agent_id and c.state in ('active','retiring')
          and a.trust_state = 'trusted')`,
    },
  }),
  // Every operational run for a customer account, whatever starts it: a customer run, the first paid run, a pilot, a wallet, the firing of
  // a workflow, or agent-use. The gate refuses sandbox agents, and synthetic work is none.
  `create view production_runs as
    select w.subject as task_id, w.audit_event_id, w.customer_account, w.checked_at as started_at, t.agent_id, t.rail, t.tier
      from production_writes w join tasks t on t.task_id = w.subject
      where w.customer_account is not null and t.usage = 'operational'`,
  // A customer run is for the account that its write was admitted for.
  `create function customer_account_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
        and w.customer_account = new.customer_account)`,
      'a run is for the account that its write was admitted for',
    )}
    return new;
  end $$`,
  `create table first_paid_runs (
    task_id text primary key references tasks,
    audit_event_id text not null unique references production_writes,
    asked_sha256 text not null ${digest('asked_sha256')},
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    publication_consent boolean not null,
    conditions json,
    reached boolean,
    receipt_id text references receipts,
    started_at timestamptz not null default clock_timestamp(),
    closed_at timestamptz,
    check (num_nonnulls(conditions, reached, receipt_id, closed_at) in (0, 4))
  )`,
  `create index first_paid_runs_reached on first_paid_runs (closed_at) where reached`,
  `create index first_paid_runs_account on first_paid_runs (customer_account, started_at)`,
  `create index first_paid_runs_outcome on first_paid_runs (reached)`,
  // The conditions are stored once, when the task has closed, and decide by themselves whether they were all met.
  ...guard('first_paid_runs', {
    deleted: 'a production run is never deleted',
    inserted: {
      'a run begins without conditions': `new.conditions is not null`,
      'the audit event of a run is that of its own write': `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
          and w.kind = 'written' and w.subject = new.task_id)`,
    },
    updated: {
      'what was computed of a run never changes': `to_jsonb(new) - ${computed} <> to_jsonb(old) - ${computed} or old.conditions is not null`,
      'conditions are computed when the task has closed': `not exists (select from task_events e where e.task_id = new.task_id and e.event = 'closed')`,
      'a run is reached when its eight conditions are met': `new.reached <> not exists (select from json_array_elements(new.conditions) c where not coalesce((c->>'met')::boolean, false)) or json_array_length(new.conditions) <> 8`,
    },
  }),
  `create table customer_runs (
    task_id text primary key references tasks,
    audit_event_id text not null unique references production_writes,
    asked_sha256 text not null check (asked_sha256 ~ '^[0-9a-f]{64}$'),
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    started_at timestamptz not null default clock_timestamp()
  )`,
  `create index customer_runs_account on customer_runs (customer_account, started_at)`,
  ...guard('customer_runs', {
    kept: 'a production run stays as it was written',
    inserted: {
      'the audit event of a run is that of its own write': `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
        and w.kind = 'written' and w.subject = new.task_id)`,
    },
  }),
  checkAccountOf('first_paid_runs'),
  checkAccountOf('customer_runs'),
  // The steps of an activation are in no column: they follow from other records.
  `create table activations (
    activation_id text primary key check (activation_id ~ '^av_[0-9a-f]{64}$'),
    agent_id text not null references agents,
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    started_at timestamptz not null default clock_timestamp(),
    unique (agent_id, customer_account, rail, tier)
  )`,
  `create index activations_of_agent on activations (agent_id, started_at)`,
  ...guard('activations', {
    kept: 'an activation stays as it was started',
    inserted: {
      'a sandbox agent has no customer accounts': `exists (select from agents a where a.agent_id = new.agent_id and a.sandbox)`,
    },
  }),
  // A workflow starts a run at each firing of its schedule, by the terms that its agent accepted last.
  `create table customer_workflows (
    workflow_id text primary key check (workflow_id ~ '^cw_[0-9a-f]{64}$'),
    agent_id text not null references agents,
    credential_id text not null references agent_credentials,
    audit_event_id text not null unique references production_writes,
    wallet_id text not null references allowance_wallets,
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    name text not null check (char_length(name) between 1 and 120),
    acceptance_criteria json not null,
    callback_url text not null,
    cadence text not null ${oneOf('cadence', cadences)},
    input json not null,
    input_sha256 text not null ${digest('input_sha256')},
    accepted_terms json not null,
    terms_sha256 text not null check (terms_sha256 = encode(sha256(convert_to(accepted_terms::text, 'UTF8')), 'hex')),
    state text not null default 'waiting' ${oneOf('state', workflowStates)},
    state_since timestamptz not null default clock_timestamp(),
    decision_id text,
    action_id text unique references delegated_actions,
    scheduled text check (scheduled in ('active','paused','deleted')),
    created_at timestamptz not null default clock_timestamp(),
    check (state not in ('active','paused') or decision_id is not null)
  )`,
  `create index customer_workflows_agent on customer_workflows (agent_id, created_at desc)`,
  `create index customer_workflows_waiting on customer_workflows (state_since) where state = 'waiting'`,
  // The schedules that are not yet as their workflows are.
  `create index customer_workflows_behind on customer_workflows (workflow_id)
    where state in ('active','paused','deleted') and scheduled is distinct from state`,
  `create function customer_workflows_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op = 'DELETE'`, 'a workflow is never deleted')}
    if tg_op = 'INSERT' then
      ${refusal(
        `new.state <> 'waiting' or not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
          and w.kind = 'written' and w.subject = new.workflow_id)`,
        'a workflow begins with its own write and waits',
      )}
      ${refusal(
        `new.action_id is not null and not exists (select from delegated_actions a where a.action_id = new.action_id
          and a.agent_id = new.agent_id and a.operation_id = 'customer-workflow-create')`,
        'a delegated workflow names the action that made it',
      )}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - ${changing} <> to_jsonb(old) - ${changing}
        or (old.decision_id is not null and new.decision_id is distinct from old.decision_id)
        or (${movesOtherwise('state', workflowTransitions)})`,
      'what a workflow does stays as it was reviewed',
    )}
    return new;
  end $$`,
  `create trigger customer_workflows_guard before insert or update or delete on customer_workflows
    for each row execute function customer_workflows_guard()`,
  `create table workflow_firings (
    firing_id text primary key check (firing_id ~ '^fi_[0-9a-f]{64}$'),
    workflow_id text not null references customer_workflows,
    due_at timestamptz not null,
    terms_sha256 text not null ${digest('terms_sha256')},
    call_id text not null unique,
    mandate_id text references authority_mandates,
    charged_usd integer check (charged_usd >= 0),
    state text not null default 'due' check (state in ('due','started','refused')),
    quote_id text references quotes,
    run_id text,
    work_order_id text references work_orders,
    code text,
    detail text,
    fired_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    check ((mandate_id is null) = (charged_usd is null)),
    check ((state = 'started') = (run_id is not null) and (run_id is null) = (work_order_id is null)),
    check ((state = 'refused') = (code is not null) and (code is null) = (detail is null)),
    check ((state = 'due') = (ended_at is null))
  )`,
  `create index workflow_firings_workflow on workflow_firings (workflow_id, due_at desc, firing_id)`,
  `create index workflow_firings_due on workflow_firings (fired_at) where state = 'due'`,
  `create index workflow_firings_mandate on workflow_firings (mandate_id, due_at desc, firing_id) where mandate_id is not null`,
  `create function workflow_firings_guard() returns trigger language plpgsql as $$
  declare
    mandate authority_mandates;
  begin
    ${refusal(
      `tg_op = 'DELETE' or old.state <> 'due' or (old.mandate_id is not null and (new.mandate_id, new.charged_usd)
        is distinct from (old.mandate_id, old.charged_usd))`,
      'what became of a firing stays as it was written',
    )}
    select m.* into mandate from authority_mandates m join delegated_actions a using (mandate_id) join customer_workflows w using (action_id)
      where w.workflow_id = new.workflow_id;
    ${refusal(
      `(new.state = 'started' or new.mandate_id is not null) and new.mandate_id is distinct from mandate.mandate_id`,
      'the firing of a delegated workflow is charged to its mandate',
    )}
    ${refusal(
      `new.mandate_id is distinct from old.mandate_id and (mandate.revoked_at is not null or new.charged_usd > mandate.per_action_usd
        or clock_timestamp() not between mandate.valid_from and mandate.expires_at)`,
      'the mandate does not permit the firing',
    )}
    ${refusal(
      `old.mandate_id is null and new.charged_usd = 0 and exists (select from delegated_actions a join customer_workflows w using (action_id)
        where w.workflow_id = new.workflow_id and a.price_usd > 0 and (a.released_usd is distinct from 0 or exists (select from workflow_firings o
          where o.workflow_id = new.workflow_id and o.firing_id <> new.firing_id and o.charged_usd = 0)))`,
      'one run uses the price of its workflow',
    )}
    return new;
  end $$`,
  `create trigger workflow_firings_guard before update or delete on workflow_firings
    for each row execute function workflow_firings_guard()`,
  checkTotalsOf('workflow_firings'),
  `create unique index workflow_firings_quote on workflow_firings (quote_id) where quote_id is not null`,
  // The quote of a firing is paid while its workflow is active by the terms that it fired with; a move waits for the payment, or is seen.
  `create function entitlements_firing() returns trigger language plpgsql as $$
  declare
    fired record;
  begin
    select w.state, w.terms_sha256 = f.terms_sha256 as agreed into fired
      from workflow_firings f join customer_workflows w using (workflow_id) where f.quote_id = new.quote_id for share of w;
    ${refusal(`found and (fired.state <> 'active' or not fired.agreed)`, 'the workflow of the firing is not active')}
    return new;
  end $$`,
  `create trigger entitlements_firing before update on entitlements for each row
    when (old.state = 'pending' and new.state = 'funded') execute function entitlements_firing()`,
]
