import {
  cadences,
  workflowStates,
  workflowTransitions,
} from '#domain/production/customer-workflow.ts'
import { checkTotalsOf } from './0017-authority.ts'
import { digest, movesOtherwise, oneOf, refusal } from './columns.ts'

const changing = `array['state','state_since','decision_id','credential_id','scheduled','accepted_terms','terms_sha256']`

/**
 * Workflows of customers that start a run at each firing of their schedule, with the terms of the runs that their agent accepted
 * last; and what became of each firing, which cites the terms.
 */
export const customerWorkflows: readonly string[] = [
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
