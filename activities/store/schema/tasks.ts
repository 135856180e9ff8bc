import type { ColumnType, Generated } from 'kysely'
import type { RecordKind } from '#domain/core/record-kinds.ts'
import type { RunUsage } from '#domain/core/usage.ts'
import type { Tier } from '#domain/rails/rail.ts'
import type { LoopStep, StepVerdict } from '#domain/runs/controlled-loop.ts'
import type { TaskExceptionCode, TaskExceptionState } from '#domain/tasks/exception.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'

type Time = ColumnType<Date, Date | undefined, Date>
/** Canonical text on the way in, because its digest is checked beside it. */
type CanonicalJson = ColumnType<unknown, string, string>

type TaskDocumentsTable = {
  task_id: string
  sha256: string
  body: CanonicalJson
  stored_at: Time
}

export type TasksTable = {
  task_id: string
  state: TaskState
  resume_state: TaskState | null
  sequence: number
  head_hash: string
  agent_id: string | null
  rail: string
  tier: Tier
  usage: RunUsage
  on_gaps: 'ask' | 'report'
  callback_url: string | null
  terms_sha256: string
  input_sha256: string | null
  /** `sandbox_policy`, or the id of an operator's decision. */
  review_decision: string | null
  contract_id: string | null
  quote_id: string | null
  quote_expires_at: Date | null
  entitlement_id: string | null
  run_id: string | null
  due_at: Date | null
  created_at: Time
  changed_at: Time
}

export type TaskEventsTable = {
  task_id: string
  sequence: number
  event_id: string
  event: TaskEvent
  from_state: TaskState | 'none'
  to_state: TaskState
  actor: string
  data: CanonicalJson
  data_sha256: string
  at: Date
  prev_hash: string
  hash: string
}

export type ContractsTable = {
  contract_id: string
  task_id: string
  terms_sha256: string
  state: 'ready' | 'accepted' | 'sealed' | 'void'
  accepted_by: string | null
  run_contract: CanonicalJson | null
  created_at: Time
  accepted_at: Date | null
  sealed_at: Date | null
}

export type RunsTable = {
  run_id: string
  task_id: string
  attempt: Generated<number>
  round: Generated<number>
  step: LoopStep | null
  started_at: Time
  finished_at: Date | null
  changed_at: Time
}

export type LoopStepsTable = {
  run_id: string
  attempt: number
  round: number
  step: LoopStep
  verdict: StepVerdict | null
  output: CanonicalJson | null
  output_sha256: string | null
  decided_by: string | null
  started_at: Time
  finished_at: Date | null
}

/** How often the work of a step was begun, counted before its process starts. */
type StepAttemptsTable = {
  run_id: string
  attempt: number
  round: number
  step: LoopStep
  begun: number
}

export type ReturnPackagesTable = {
  return_package_id: string
  run_id: string
  partial: boolean
  package: CanonicalJson
  manifest_sha256: string
  result_sha256: string
  proof_hash: string
  completion_signature: string
  made_at: Time
}

export type TaskExceptionsTable = {
  exception_id: string
  task_id: string
  sequence: number
  code: TaskExceptionCode
  detail: string
  state: TaskExceptionState
  resume_state: TaskState
  money_moved: 'no' | 'yes' | 'unknown'
  receipt_id: string
  opened_at: Time
  closed_at: Date | null
}

export type RecoveryRequestsTable = {
  recovery_id: string
  exception_id: string
  action: string
  note: Generated<string>
  input_sha256: string | null
  state: Generated<'requested' | 'approved' | 'refused' | 'done'>
  requested_by: string
  requested_at: Time
  decided_by: string | null
  decided_at: Date | null
}

/** A view over the rows of all kinds of runtime records. */
export type TaskRecordsView = {
  task_id: string
  record_kind: RecordKind
  record_id: string
  recorded_at: Date
}

export type TaskTables = {
  task_documents: TaskDocumentsTable
  tasks: TasksTable
  task_events: TaskEventsTable
  contracts: ContractsTable
  runs: RunsTable
  loop_steps: LoopStepsTable
  step_attempts: StepAttemptsTable
  return_packages: ReturnPackagesTable
  task_exceptions: TaskExceptionsTable
  recovery_requests: RecoveryRequestsTable
  task_records: TaskRecordsView
}
