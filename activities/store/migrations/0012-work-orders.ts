import { guard } from './guards.ts'

/** Work orders and their tasks. Their state follows from the tasks; only the decision is stored here. */
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
    check ((decision is null) = (decision_id is null))
  )`,
  `create index work_orders_queued on work_orders (created_at) where decision is null`,
  `create index work_orders_undecided on work_orders (created_at) where decision is null and agent_id is null`,
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
]
