/** The runtime record kinds, in their order. */
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

/** The kinds of records that an agent has before any task. */
export const agentRecordKinds = [
  'onboarding',
  'trust_profile',
  'credential_envelope',
  'quote',
  'provider_route',
  'credit_entitlement',
] as const satisfies readonly RecordKind[]
export type AgentRecordKind = (typeof agentRecordKinds)[number]
