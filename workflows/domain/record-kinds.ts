import type { TaskEvent } from './task-lifecycle.ts'

/** The runtime record kinds (agent-commerce.md § Resources), in their order. */
export const recordKinds = [
  'onboarding',
  'trust_profile',
  'credential_envelope',
  'quote',
  'provider_route',
  'credit_entitlement',
  'run_contract',
  'task_run',
  'lifecycle_event',
  'result_contract',
  'settlement_receipt',
  'usage_receipt',
  'callback_delivery',
  'ledger_event',
  'attestation',
] as const
export type RecordKind = (typeof recordKinds)[number]

/** What an agent has before any task of its own: written at registration and trust approval, by no transition. */
export const agentRecordKinds: readonly RecordKind[] = ['onboarding', 'trust_profile', 'credential_envelope']

/** Records that stand beside a move's lifecycle event, written or cited by it (endpoints.md §22.7). */
const beside: Partial<Record<TaskEvent, readonly RecordKind[]>> = {
  submit: ['task_run'],
  quote_issued: ['quote', 'provider_route'],
  credit_requested: ['credit_entitlement'],
  credit_funded: ['settlement_receipt', 'credit_entitlement'],
  enqueued: ['run_contract'],
  started: ['task_run'],
  result_produced: ['result_contract'],
  result_attested: ['attestation'],
  receipts_issued: ['usage_receipt', 'ledger_event'],
  callback_scheduled: ['callback_delivery'],
  callback_delivered: ['callback_delivery'],
  closed: ['attestation'],
}

/** The record kinds of a move: its lifecycle event, and what stands beside it. */
export function recordKindsOf(event: TaskEvent): RecordKind[] {
  return ['lifecycle_event', ...(beside[event] ?? [])]
}
