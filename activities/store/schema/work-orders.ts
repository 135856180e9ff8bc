import type { ColumnType } from 'kysely'
import type { intakeKinds } from '#domain/work-orders/work-order.ts'

export type Requester = { name: string; contact: string } | { agent_id: string }

export type WorkOrdersTable = {
  work_order_id: string
  intake_kind: (typeof intakeKinds)[number]
  requested_tool_id: string
  objective: string
  requester: ColumnType<Requester, string, never>
  agent_id: string | null
  quote_id: string | null
  acceptance_criteria: ColumnType<string[], string, never>
  status_token_sha256: string
  decision: ColumnType<'approve' | 'reject' | null, undefined, 'approve' | 'reject'>
  decision_id: ColumnType<string | null, undefined, string>
  created_at: ColumnType<Date, undefined, never>
}

type WorkOrderTasksTable = { work_order_id: string; step: number; task_id: string }

export type WorkOrderTables = {
  work_orders: WorkOrdersTable
  work_order_tasks: WorkOrderTasksTable
}
