import type { Findings, PayoutConstraints, RunRecord } from '../run-record.ts'

/** Where a log of the token lies on the canonical chain; times are Unix seconds. */
type Place = {
  blockNumber: number
  blockHash: string
  blockTime: number
  transactionHash: string
  logIndex: number
}
type TransferEvent = Place & { kind: 'transfer'; from: string; to: string; value: bigint }
export type AuthorizationEvent = Place & {
  kind: 'used' | 'canceled'
  authorizer: string
  nonce: string
}
export type TokenEvent = TransferEvent | AuthorizationEvent

export type ChainFacts = {
  head: { number: number; timestamp: number }
  finalized: { number: number; timestamp: number }
  /** The token's logs from `since` on, oldest first. */
  events: TokenEvent[]
  /** What each recipient holds, atomic units. */
  balances: Map<string, bigint>
  /** Transaction counts of the gas wallets. */
  nonces: Map<string, { mined: number; pooled: number }>
}

/** Amounts and chain numbers are decimal texts, times are milliseconds since 1970. */
export type PayoutFact = {
  payout_id: string
  creator: string
  idempotency_key: string
  recipient: string
  amount_atomic: string
  memo: string
  rail_reference: string
  usage: string
  asset: string
  payout_wallet: string
  terms_sha256: string
  state: 'created' | 'authorized' | 'executed'
  expires_at: string | null
  authorize_idempotency_key: string | null
}
export type TransferFact = {
  payout_id: string
  nonce: string
  wallet: string
  recipient: string
  amount_atomic: string
  valid_before: string
  status: 'reserved' | 'signed' | 'submitted' | 'included' | 'final' | 'dead'
  transaction_hash: string | null
  block_number: string | null
  block_hash: string | null
  block_ms: number | null
  parked: string | null
  exception: string | null
  call_id: string
  reserved_ms: number
}
export type ReceiptFact = {
  receipt_id: string
  subject: string
  seq: number
  kind: string
  jws: string
  prev: string | null
  issued_ms: number
  /** What the signature covers; null when it does not verify under a published receipt key. */
  claims: Record<string, unknown> | null
}
export type CallFact = {
  call_id: string
  caller: string
  operation: string
  key: string
  grant_state: 'open' | 'used' | 'released'
  answer_state: 'open' | 'done' | 'final'
  funding: 'none' | 'free' | 'payment' | 'credit'
  payment_id: string | null
  subject: string | null
  granted_ms: number
}
export type PaymentFact = {
  payment_id: string
  payer: string
  authorization_nonce: string
  pay_to: string
  amount_atomic: string
  call_id: string | null
  state: 'claimed' | 'settling' | 'settled' | 'failed' | 'pending' | 'released'
  credit: 'none' | 'available' | 'used'
  transaction_hash: string | null
  block_hash: string | null
}
export type GasWalletFact = {
  tx_hash: string
  gas_wallet: string
  eoa_nonce: string
  outcome: string | null
}
/** A leaf of the transparency log and a checkpoint that the service signed; digests are hexadecimal. */
export type LeafFact = { idx: string; entry: string }
type CheckpointFact = { size: string; root: string }
/** A row of another kind than a transfer that the service has to carry on, and for how long it stands as it does. */
type OpenFact = { subject: string; id: string; state: string; age_ms: number }
export type StoreFacts = {
  payouts: PayoutFact[]
  transfers: TransferFact[]
  receipts: ReceiptFact[]
  calls: CallFact[]
  payments: PaymentFact[]
  ledger: { kind: string; key: string; subject: string }[]
  gasWallets: { address: string; next_nonce: string }[]
  gasWalletQueue: GasWalletFact[]
  logLeaves: LeafFact[]
  logCheckpoints: CheckpointFact[]
  openRows: OpenFact[]
}

export type WorkflowFact = {
  workflowId: string
  type: string
  status: string
  /** Unix milliseconds. */
  startedAt: number
  needsAttention: boolean
  /** How often the workflow task that is open now was tried. */
  taskAttempts: number
  /** What happened in a run whose task was tried more than once, and in one that was terminated. */
  history: string[]
}

/** All that is read after a batch; every check is a pure function of it. */
export type Facts = {
  where: Pick<PayoutConstraints, 'asset' | 'payoutWallet' | 'payTo'>
  chain: ChainFacts
  store: StoreFacts
  workflows: WorkflowFact[]
  runs: RunRecord[]
}

/** One thing that is wrong, before it is known whose run it was. */
export type Complaint = {
  as: keyof Findings
  what: string
  evidence: unknown
  payoutId?: string | null
  run?: number
}
export type Verdict = (facts: Facts) => Complaint[]

/** One use of an authorization with the transfer directly behind it, if there is one. */
export type Spend = { used: AuthorizationEvent; transfer: TransferEvent | undefined }

/** Every spent authorization on the canonical chain. */
export function spendsOf({ events }: ChainFacts): Spend[] {
  const transfers = new Map(
    events.flatMap((event) =>
      event.kind === 'transfer' ? [[`${event.blockHash}:${event.logIndex}`, event]] : [],
    ),
  )
  return events.flatMap((used) =>
    used.kind === 'used'
      ? [{ used, transfer: transfers.get(`${used.blockHash}:${used.logIndex + 1}`) }]
      : [],
  )
}

/** The rows of a list under the value of one member. */
export function groupBy<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row])
  return groups
}

export function indexBy<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row> {
  return new Map(rows.map((row) => [key(row), row]))
}
