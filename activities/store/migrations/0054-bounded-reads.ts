/** What public reads follow, so that their cost does not grow with the records. */
export const boundedReads: readonly string[] = [
  `create index tasks_begun on tasks (created_at desc) where usage = 'operational' and run_id is not null`,
  `create index contracts_accepted on contracts (accepted_at) where accepted_at is not null`,
  `create index work_orders_agent on work_orders (agent_id, created_at desc, work_order_id) where agent_id is not null`,
  `create index pilots_agent on pilots (agent_id, created_at desc, pilot_id) where agent_id is not null`,
  `create index work_orders_open on work_orders (created_at desc, work_order_id) where exchange_until is not null and decision = 'approve'`,
]
