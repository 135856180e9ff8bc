import type pg from 'pg'

/** A payout to seed: whose it is, and its id, which the creator's status call asks for. */
export type Seed = { creator: string; payoutId: string }

/** Inserts everything that finished payouts leave behind, executed over the last day, so that all of them count against the daily cap. */
export async function seedPayouts(
  pool: pg.Pool,
  payoutWallet: string,
  seeds: readonly Seed[],
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `create temp table seeded (creator text, payout_id text, number bigint, done timestamptz, wallet text) on commit drop`,
    )
    await client.query(
      `insert into seeded select creator, payout_id, number, clock_timestamp() - number * interval '80000 seconds' / $3, $4
        from unnest($1::text[], $2::text[]) with ordinality as seed (creator, payout_id, number)`,
      [
        seeds.map(({ creator }) => creator),
        seeds.map(({ payoutId }) => payoutId),
        seeds.length,
        payoutWallet,
      ],
    )
    for (const statement of statements) await client.query(statement)
    await client.query('commit')
    await client.query('vacuum analyze')
  } finally {
    client.release()
  }
}

/** Takes every row away that payouts leave; operators, keys and gas wallets stay. */
export async function emptyTables(pool: pg.Pool): Promise<void> {
  await pool.query(`truncate payouts, calls, proof_nonces, payments, transfers, confirmed_totals, gas_wallet_transactions, receipts,
    replay_ledger, mandates, update_leases, window_counts cascade`)
}

const hash = (what: string) => `encode(sha256((${what})::bytea), 'hex')`
const address = `'0x' || repeat('aa', 20)`
const text = (what: string, hashes: number) =>
  `(select string_agg(${hash(`${what} || part`)}, '') from generate_series(1, ${hashes}) as part)`
const steps = `(values ('create', 0, 201), ('authorize', 1, 200), ('execute', 2, 200)) as step (name, seq, status)`
const receipts = `(values ('payout_created', 0), ('payout_authorized', 1), ('payout_executed', 2), ('payout_final', 3)) as receipt (kind, seq)`
const jws = `${text('payout_id || kind', 4)} || '.' || ${text('kind || payout_id', 6)} || '.' || ${text('payout_id', 1)}`

const statements = [
  `insert into payouts (payout_id, creator, idempotency_key, recipient, amount_atomic, memo, rail_reference, usage, asset, payout_wallet, terms_sha256, state, created_at)
    select payout_id, creator, 'bench', ${address}, 1, 'bench', 'bench', 'synthetic', ${address}, wallet, ${hash('payout_id')}, 'created', done
    from seeded`,
  `update payouts set state = 'authorized', authorized_at = done, expires_at = 4000000000, authorize_idempotency_key = 'bench',
    authorize_fingerprint = terms_sha256, mandate_ref = 'mdt_' || terms_sha256, transfer_nonce = '0x' || terms_sha256,
    principal_signature = '0x' || repeat('11', 65) from seeded where payouts.payout_id = seeded.payout_id`,
  `insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding, proof_nonce, path, body_sha256, subject, status, answer, granted_at, finished_at)
    select 'call_' || ${hash('payout_id || name')}, 'wallet:' || creator, 'payout-' || name, 'bench', ${hash('payout_id || name')}, 'used', 'final', 'free',
      substr(${hash('name || payout_id')}, 1, 32), '/api/payout-' || name, ${hash('payout_id || name')}, payout_id, status,
      json_build_object('payout', payout_id, 'receipts', ${text('payout_id || name', 24)}), done, done
    from seeded, ${steps}`,
  `insert into proof_nonces (wallet, nonce, path, body_sha256, call_id, used_at)
    select creator, substr(${hash('name || payout_id')}, 1, 32), '/api/payout-' || name, ${hash('payout_id || name')}, 'call_' || ${hash('payout_id || name')}, done
    from seeded, ${steps}`,
  `insert into transfers (payout_id, nonce, wallet, recipient, amount_atomic, valid_after, valid_before, signature, status, call_id, reserved_at, changed_at)
    select payout_id, '0x' || ${hash('payout_id')}, wallet, ${address}, 1, 0, 4000000000, '0x' || ${text('payout_id', 2)},
      'signed', 'call_' || ${hash(`payout_id || 'execute'`)}, done, done
    from seeded`,
  `update transfers set status = 'final', from_block = 1, transaction_hash = '0x' || ${hash('seeded.payout_id')}, block_number = number,
    block_hash = '0x' || ${hash('number::text')}, block_time = done, confirmations = 2
    from seeded where transfers.payout_id = seeded.payout_id`,
  `update payouts set state = 'executed', executed_at = done from seeded where payouts.payout_id = seeded.payout_id`,
  // Without triggers no receipt waits for the log: a worker would set those aside that no key of ours signed.
  `set local session_replication_role = replica`,
  `insert into receipts (receipt_id, subject, seq, kind, jws, prev, kid, payload_sha256, issued_at)
    select 'rc_' || ${hash('payout_id || kind')}, payout_id, seq, kind, ${jws}, case when seq > 0 then ${hash('kind || payout_id')} end, 'bench', ${hash('payout_id || kind || 1')}, done
    from seeded, ${receipts}`,
  `set local session_replication_role = origin`,
  `insert into replay_ledger (kind, key, subject, first_seen) select kind, ${hash('payout_id || kind')}, payout_id, done
    from seeded, unnest(array['presentation', 'challenge_jti', 'mandate', 'kb_nonce', 'principal_digest']) as kind`,
  `insert into mandates (mandate_id, operator_id, payout_id, request_sha256, ap2_mandate, replay_key, issued_at, expires_at)
    select 'mdt_' || ${hash('payout_id')}, 'bench', payout_id, ${hash('payout_id')}, ${text('payout_id', 23)}, ${hash(`payout_id || 'mandate'`)}, done, done from seeded`,
  `insert into gas_wallets (address, next_nonce) values ('0x' || repeat('cc', 20), 0) on conflict do nothing`,
  `insert into gas_wallet_transactions (tx_hash, gas_wallet, eoa_nonce, purpose, to_address, data, gas, max_fee_per_gas, max_priority_fee_per_gas, raw, outcome, created_at, broadcast_at)
    select '0x' || ${hash('payout_id')}, '0x' || repeat('cc', 20), number, 'payout:' || payout_id, ${address}, ${text('payout_id', 9)}, 150000, 1000000000, 1000000, ${text('payout_id', 13)}, 'mined', done, done
    from seeded`,
  `insert into window_counts (key, points, window_ends_at) select 'wallet:wallet:' || creator, 3, done from seeded`,
]
