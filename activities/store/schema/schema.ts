import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { PayoutUsage } from '#domain/core/usage.ts'
import type { ControlScope } from '#domain/payouts/controls.ts'
import type { TransferStatus } from '#domain/payouts/transfer-status.ts'
import type { AgentInputTables } from './agent-inputs.ts'
import type { AgentTables } from './agents.ts'
import type { CallbackTables } from './callbacks.ts'
import type { MoneyTables } from './credit.ts'
import type { TaskTables } from './tasks.ts'
import type { WorkOrderTables } from './work-orders.ts'

type Time = ColumnType<Date, Date | undefined, Date>
type Json<T> = JSONColumnType<object & T>

export type CallsTable = {
  call_id: string
  caller: string
  operation: string
  key: string
  fingerprint: string
  grant_state: 'open' | 'used' | 'released'
  answer_state: 'open' | 'done' | 'final'
  funding: 'none' | 'free' | 'payment' | 'credit'
  payment_id: string | null
  proof_nonce: string | null
  path: string
  body_sha256: string | null
  subject: string | null
  lease_holder: string | null
  lease_until: Date | null
  status: number | null
  answer: Json<Record<string, unknown>> | null
  /** Kept while the grant is open, for the workflow's step. */
  input: Json<Record<string, unknown>> | null
  granted_at: Time
  finished_at: Date | null
  /** When an answer that was paid for left for its caller. */
  delivered_at: Date | null
}

type ProofNoncesTable = {
  wallet: string
  nonce: string
  path: string
  body_sha256: string
  call_id: string
  used_at: Time
}

export type PaymentsTable = {
  payment_id: string
  asset: string
  payer: string
  authorization_nonce: string
  pay_to: string
  amount_atomic: string
  valid_after: string
  valid_before: string
  signature: string
  requirements: Json<Record<string, unknown>>
  proof_wallet: string
  call_id: string | null
  state: 'claimed' | 'settling' | 'settled' | 'failed' | 'pending' | 'released'
  credit: Generated<'none' | 'available' | 'used'>
  from_block: string | null
  transaction_hash: string | null
  block_number: string | null
  block_hash: string | null
  finalized: Generated<boolean>
  failure: string | null
  created_at: Time
  changed_at: Time
}

/** Every signature over a payment nonce that was verified, with its window; a row never changes. */
type PaymentSignaturesTable = {
  payment_id: string
  signature: string
  valid_after: string
  valid_before: string
  amount_atomic: string
  pay_to: string
  verified_at: Time
}

export type PayoutsTable = {
  payout_id: string
  creator: string
  idempotency_key: string
  recipient: string
  amount_atomic: string
  memo: string
  rail_reference: string
  usage: PayoutUsage
  asset: string
  payout_wallet: string
  terms_sha256: string
  state: 'created' | 'authorized' | 'executed'
  created_at: Time
  authorized_at: Date | null
  executed_at: Date | null
  expires_at: string | null
  authorize_idempotency_key: string | null
  authorize_fingerprint: string | null
  mandate_ref: string | null
  /** Null in a canary, whose authority is the configuration. */
  principal_signature: string | null
  /** Of the one transfer that the authorization allows. */
  transfer_nonce: string | null
}

export type TransfersTable = {
  payout_id: string
  nonce: string
  wallet: string
  recipient: string
  amount_atomic: string
  valid_after: string
  valid_before: string
  signature: string | null
  status: TransferStatus
  from_block: string | null
  transaction_hash: string | null
  block_number: string | null
  block_hash: string | null
  block_time: Date | null
  confirmations: Generated<number>
  parked: string | null
  exception: string | null
  call_id: string
  reserved_at: Time
  changed_at: Time
}

type GasWalletsTable = {
  address: string
  next_nonce: string
  moved_at: Time
  jammed_at: Date | null
}

export type GasWalletTransactionsTable = {
  tx_hash: string
  gas_wallet: string
  eoa_nonce: string
  purpose: string
  to_address: string
  data: string
  gas: string
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
  raw: string
  outcome: 'mined' | 'reverted' | 'superseded' | null
  created_at: Time
  broadcast_at: Date | null
}

export type ReceiptsTable = {
  receipt_id: string
  subject: string
  seq: number
  kind: string
  jws: string
  prev: string | null
  kid: string
  payload_sha256: string
  issued_at: Time
}

type ReplayLedgerTable = { kind: string; key: string; subject: string; first_seen: Time }
export type OperatorsTable = {
  operator_id: string
  name: string
  secret_sha256: string
  created_at: Time
  revoked_at: Date | null
}

export type SigningKeysTable = {
  ring: string
  kid: string
  alg: string
  public_jwk: Json<Record<string, unknown>>
  activated_at: Time
  retired_at: Date | null
  revoked_at: Date | null
}

type ControlsTable = {
  scope: ControlScope
  target: string
  paused: boolean
  reason: string
  operator_id: string
  changed_at: Time
}

export type ControlChangesTable = {
  change_id: string
  seq: Generated<string>
  scope: ControlScope
  target: string
  paused: boolean
  reason: string
  operator_id: string
  operator_name: string
  receipt_id: string
  changed_at: Date
}

type UpdateLeasesTable = {
  resource: string
  slot: number
  holder: string
  lease_until: Date
}

export type MandatesTable = {
  mandate_id: string
  operator_id: string
  payout_id: string
  request_sha256: string
  ap2_mandate: string
  issued_at: Time
  expires_at: Date
}

export type ReconciliationsTable = {
  reconciliation_id: string
  scope: 'changed' | 'all'
  changed_since: string | null
  snapshot_xid: string
  from_block: string
  through_block: string
  compared: number | null
  differences: number | null
  started_at: Time
  completed_at: Date | null
}

type ReconciliationSuspectsTable = {
  reconciliation_id: string
  section: string
  code: string
  subject: string
  block_number: string | null
  noted_at: Time
}

export type ExceptionsTable = {
  exception_id: string
  section: string
  code: string
  subject: string
  block_number: string | null
  evidence: Json<Record<string, unknown>>
  evidence_sha256: string
  state: Generated<'open' | 'closed'>
  seen: Generated<boolean>
  opened_by: string
  first_seen_at: Time
  last_seen_at: Time
  closed_at: Date | null
  closed_by: string | null
  reason: string | null
}

export type StatementsTable = {
  day: string
  jws: string
  kid: string
  sha256: string
  prev: string | null
  made_at: Time
}

export type Database = AgentInputTables &
  AgentTables &
  CallbackTables &
  MoneyTables &
  TaskTables &
  WorkOrderTables & {
    calls: CallsTable
    proof_nonces: ProofNoncesTable
    payments: PaymentsTable
    payment_signatures: PaymentSignaturesTable
    payouts: PayoutsTable
    transfers: TransfersTable
    gas_wallets: GasWalletsTable
    gas_wallet_transactions: GasWalletTransactionsTable
    receipts: ReceiptsTable
    replay_ledger: ReplayLedgerTable
    operators: OperatorsTable
    signing_keys: SigningKeysTable
    controls: ControlsTable
    control_changes: ControlChangesTable
    update_leases: UpdateLeasesTable
    mandates: MandatesTable
    reconciliations: ReconciliationsTable
    reconciliation_suspects: ReconciliationSuspectsTable
    exceptions: ExceptionsTable
    statements: StatementsTable
  }
