import pg from 'pg'
import type { ReceiptFact, StoreFacts } from './facts.ts'

const ms = (column: string, name: string) =>
  `(extract(epoch from ${column}) * 1000)::float8 as ${name}`

const selects = {
  payouts: `select payout_id, creator, idempotency_key, recipient, amount_atomic, memo, rail_reference, usage, asset, payout_wallet,
    terms_sha256, state, expires_at, authorize_idempotency_key from payouts order by created_at`,
  transfers: `select payout_id, nonce, wallet, recipient, amount_atomic, valid_before, status, transaction_hash, block_number, block_hash,
    ${ms('block_time', 'block_ms')}, parked, exception, call_id, ${ms('reserved_at', 'reserved_ms')} from transfers order by reserved_at`,
  receipts: `select receipt_id, subject, seq, kind, jws, prev, ${ms('issued_at', 'issued_ms')} from receipts order by subject, seq`,
  calls: `select call_id, caller, operation, key, grant_state, answer_state, funding, payment_id, subject,
    ${ms('granted_at', 'granted_ms')} from calls order by granted_at`,
  payments: `select payment_id, payer, authorization_nonce, pay_to, amount_atomic, call_id, state, credit, transaction_hash, block_hash
    from payments order by created_at`,
  ledger: 'select kind, key, subject from replay_ledger',
  gasWallets: 'select address, next_nonce from gas_wallets',
  gasWalletQueue:
    'select tx_hash, gas_wallet, eoa_nonce, outcome from gas_wallet_transactions order by gas_wallet, eoa_nonce',
  logLeaves: `select idx, encode(entry, 'hex') as entry from log_leaves order by idx`,
  logCheckpoints: `select size, encode(root, 'hex') as root from log_checkpoints order by size`,
} as const satisfies Record<keyof StoreFacts, string>

type Rows = Omit<StoreFacts, 'receipts'> & { receipts: Omit<ReceiptFact, 'claims'>[] }

/** Everything the rail stored, as one moment saw it. */
export async function readPostgres(databaseUrl: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'checker' })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const rows: Record<string, unknown[]> = {}
    for (const [name, select] of Object.entries(selects))
      rows[name] = (await client.query(select)).rows
    return rows as Rows
  } finally {
    await client.end()
  }
}
