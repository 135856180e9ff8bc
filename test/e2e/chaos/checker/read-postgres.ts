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
  openRows: `select subject, id, state, (extract(epoch from clock_timestamp() - since) * 1000)::float8 as age_ms from (
    select 'payment' as subject, payment_id as id, state, greatest(created_at, changed_at) as since from payments
      where state in ('claimed', 'settling', 'pending') or (state = 'settled' and not finalized)
    union all select 'task', task_id, state, changed_at from tasks t where state in ('created', 'contract_accepted', 'queued',
        'attested', 'receipt_issued', 'callback_delivered', 'failed')
      or (state = 'callback_pending' and not exists (select from callback_deliveries d where d.subject = t.task_id and d.finished_at is null))
    union all select 'run', r.run_id, coalesce(r.step, 'over'), greatest(t.changed_at, r.changed_at) from tasks t join runs r on r.task_id = t.task_id
      where t.state in ('operating', 'result_ready') and coalesce(r.step, '') <> 'review_step'
    union all select 'callback', delivery_id, state, next_attempt_at from callback_deliveries where finished_at is null
    union all select 'delegation', action_id, state, reserved_at from delegated_actions where state in ('reserved', 'started')
    union all select 'firing', firing_id, state, fired_at from workflow_firings where state = 'due'
    union all select 'schedule', workflow_id, state, state_since from customer_workflows
      where state in ('active', 'paused', 'deleted') and scheduled is distinct from state
  ) open order by since`,
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
