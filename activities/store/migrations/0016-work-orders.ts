import { exchangeClaimStates, exchangeClaimTransitions } from '#domain/work-orders/work-order.ts'
import { digest, movesOtherwise, oneOf } from './columns.ts'
import { guard } from './guards.ts'

const ended = `('accepted','rejected','released','expired')`
const fixed = `array['state','ended_at','reason','delivery','delivery_sha256','checks','delivered_at','receipt_id']`

/** Work orders and their tasks, whose state follows from the tasks, and the claims of the agents that work on those on the exchange. */
export const workOrders: readonly string[] = [
  `create table work_orders (
    work_order_id text primary key check (work_order_id ~ '^wo_[0-9a-f]{64}$'),
    intake_kind text not null check (intake_kind in ('external_agent_request','workflow_intake')),
    requested_tool_id text not null,
    objective text not null,
    requester json not null,
    agent_id text references agents,
    quote_id text references quotes,
    acceptance_criteria json not null,
    status_token_sha256 text not null unique check (status_token_sha256 ~ '^[0-9a-f]{64}$'),
    decision text check (decision in ('approve','reject')),
    decision_id text,
    created_at timestamptz not null default clock_timestamp(),
    exchange_until timestamptz,
    reward_note text,
    check ((decision is null) = (decision_id is null)),
    check ((exchange_until is null) = (reward_note is null))
  )`,
  `create index work_orders_queued on work_orders (created_at) where decision is null`,
  `create index work_orders_undecided on work_orders (created_at) where decision is null and agent_id is null`,
  `create index work_orders_agent on work_orders (agent_id, created_at desc, work_order_id) where agent_id is not null`,
  `create index work_orders_exchange on work_orders (exchange_until) where exchange_until is not null`,
  `create index work_orders_open on work_orders (created_at desc, work_order_id) where exchange_until is not null and decision = 'approve'`,
  `create table work_order_tasks (
    work_order_id text not null references work_orders,
    step integer not null check (step between 1 and 8),
    task_id text not null unique references tasks,
    primary key (work_order_id, step)
  )`,
  ...guard('work_orders', {
    updated: {
      'an order is decided once and stays as it was asked for': `old.decision is not null or to_jsonb(new) - 'decision' - 'decision_id' <> to_jsonb(old) - 'decision' - 'decision_id'`,
    },
  }),
  `create table exchange_claims (
    claim_id text primary key check (claim_id ~ '^xc_[0-9a-f]{64}$'),
    work_order_id text not null references work_orders,
    agent_id text not null references agents,
    entitlement_id text not null references entitlements,
    input_sha256 text not null,
    terms_sha256 text ${digest('terms_sha256')},
    state text not null default 'held' ${oneOf('state', exchangeClaimStates)},
    claimed_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null check (expires_at > claimed_at),
    delivered_at timestamptz,
    delivery json,
    delivery_sha256 text,
    checks json,
    receipt_id text references receipts,
    ended_at timestamptz,
    reason text,
    unique (work_order_id, agent_id),
    check (num_nonnulls(delivered_at, delivery, delivery_sha256, checks, receipt_id) in (0, 5)),
    check (state not in ('delivered','accepted','rejected') or delivered_at is not null),
    check ((state in ${ended}) = (ended_at is not null))
  )`,
  // Whatever the code before it found, an order has one claim that is held or stands.
  `create unique index exchange_claims_one on exchange_claims (work_order_id) where state in ('held','delivered','accepted')`,
  `create index exchange_claims_agent on exchange_claims (agent_id, claimed_at desc)`,
  ...guard('exchange_claims', {
    deleted: 'a claim is never deleted',
    inserted: {
      'a trusted agent of another account claims an approved order': `new.state <> 'held' or not exists (select from work_orders w join agents a on a.agent_id = new.agent_id
          left join agents r on r.agent_id = w.agent_id
          where w.work_order_id = new.work_order_id and w.decision = 'approve' and w.exchange_until >= new.expires_at
            and a.trust_state = 'trusted' and a.account_id is distinct from r.account_id)`,
    },
    updated: {
      'a claim is delivered once and ended once': `to_jsonb(new) - ${fixed} <> to_jsonb(old) - ${fixed} or old.state in ${ended}
        or (old.delivered_at is not null and new.delivery_sha256 <> old.delivery_sha256)
        or old.state = new.state or (${movesOtherwise('state', exchangeClaimTransitions)})`,
    },
  }),
]
