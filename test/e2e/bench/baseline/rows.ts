import pg from 'pg'
import { BatchingSocket } from '../../../../activities/store/postgres/batching-socket.ts'
import type { BaselineStep } from './messages.ts'
import type { BaselineReceipt } from './receipt.ts'

/** Writes of one transaction, each a statement that the connection has prepared. */
type Write = { name: string; text: string; values: unknown[] }

const ADDRESS = `0x${'aa'.repeat(20)}`
const SIGNATURE = `0x${'11'.repeat(65)}`

export function openPool(url: string): pg.Pool {
  return new pg.Pool({
    connectionString: url,
    max: 16,
    pipeline: true,
    stream: () => new BatchingSocket(),
    idleTimeoutMillis: 60_000,
    application_name: 'bench baseline',
  })
}

/** One transaction with nothing in it but writes, which travel together as the rail's do. */
export async function commit(pool: pg.Pool, writes: readonly Write[]): Promise<void> {
  if (writes.length === 1) return void (await pool.query(writes[0] as Write))
  const client = await pool.connect()
  try {
    await Promise.all(['begin', ...writes, 'commit'].map((statement) => client.query(statement)))
  } finally {
    client.release()
  }
}

/** What the rail's API writes before it sends an update: the granted call with its input, and its used-up proof. */
export function grant(
  operation: string,
  { callId, creator, digest }: BaselineStep,
  nonce: string,
  input: string,
): Write[] {
  const path = `/api/${operation}`
  return [
    {
      name: 'call',
      text: `insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding, proof_nonce, path, body_sha256, lease_holder, lease_until, input)
        values ($1, $2, $3, 'bench', $4, 'open', 'open', 'free', $5, $6, $4, $7, clock_timestamp() + interval '15 seconds', $8)`,
      values: [
        callId,
        `wallet:${creator}`,
        operation,
        digest,
        nonce,
        path,
        callId.slice(5, 41),
        input,
      ],
    },
    proof(creator, nonce, path, digest, callId),
  ]
}

/** The counter of the calls of a wallet that is new, written before its first. */
export function counted({ creator }: BaselineStep): Write[] {
  return [
    {
      name: 'counted',
      text: `insert into window_counts values ($1, 15, clock_timestamp() + interval '1 minute') on conflict (key) do update set points = window_counts.points + 15 returning points`,
      values: [`wallet:wallet:${creator}`],
    },
  ]
}

/** The place among the updates of one payout that an authorize takes over all processes (payout.md), and leaves when it is answered. */
export function placed({ payoutId, callId }: BaselineStep): Write[] {
  return [
    {
      name: 'place',
      text: `insert into update_leases (resource, slot, holder, lease_until) values ($1, 0, $2, clock_timestamp() + interval '20 seconds')
        on conflict (resource, slot) do update set holder = excluded.holder, lease_until = excluded.lease_until returning slot`,
      values: [payoutId, callId],
    },
  ]
}

export function left({ payoutId, callId }: BaselineStep): Write[] {
  return [
    {
      name: 'leave',
      text: 'delete from update_leases where resource = $1 and slot = 0 and holder = $2',
      values: [payoutId, callId],
    },
  ]
}

/** A call that is granted and answered in one transaction, as a read can be. */
export function granted(caller: string, callId: string, nonce: string, answer: string): Write[] {
  return [
    {
      name: 'final',
      text: `insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding, proof_nonce, path, body_sha256, subject, status, answer, finished_at)
        values ($1, $2, 'payout-status', $3, $3, 'used', 'final', 'free', $3, '/api/payout-status', $3, $1, 200, $4, clock_timestamp())`,
      values: [callId, `wallet:${caller}`, nonce, answer],
    },
    proof(caller, nonce, '/api/payout-status', nonce, callId),
  ]
}

export function created(
  { payoutId, callId, creator, digest }: BaselineStep,
  receipt: BaselineReceipt,
): Write[] {
  return [
    {
      name: 'payout',
      text: `insert into payouts (payout_id, creator, idempotency_key, recipient, amount_atomic, memo, rail_reference, usage, asset, payout_wallet, terms_sha256, state)
        values ($1, $2, 'bench', $3, 1, 'bench', 'bench', 'synthetic', $3, $3, $4, 'created')`,
      values: [payoutId, creator, ADDRESS, digest],
    },
    insertReceipt(payoutId, 0, 'payout_created', receipt),
    answered(callId, payoutId, receipt),
  ]
}

export function authorized(
  { payoutId, callId, digest }: BaselineStep,
  receipt: BaselineReceipt,
): Write[] {
  return [
    {
      name: 'replay',
      text: `insert into replay_ledger (kind, key, subject) select kind, $1 || kind, $2
        from unnest(array['presentation', 'challenge_jti', 'mandate', 'kb_nonce', 'principal_digest']) as kind`,
      values: [digest, payoutId],
    },
    {
      name: 'authorize',
      text: `update payouts set state = 'authorized', authorized_at = clock_timestamp(), expires_at = 4000000000,
        authorize_idempotency_key = 'bench', authorize_fingerprint = $2, mandate_ref = $2, principal_signature = $3, transfer_nonce = $4
        where payout_id = $1 and state = 'created'`,
      values: [payoutId, digest, SIGNATURE, `0x${payoutId.slice(3)}`],
    },
    insertReceipt(payoutId, 1, 'payout_authorized', receipt),
    answered(callId, payoutId, receipt),
  ]
}

export function reserved({ payoutId, callId }: BaselineStep): Write[] {
  return [
    {
      name: 'reserve',
      text: `insert into transfers (payout_id, nonce, wallet, recipient, amount_atomic, valid_after, valid_before, status, call_id)
        values ($1, $2, $3, $3, 1, 0, 4000000000, 'reserved', $4)`,
      values: [payoutId, `0x${payoutId.slice(3)}`, ADDRESS, callId],
    },
    {
      name: 'used',
      text: `update calls set grant_state = 'used', subject = $2, input = null where call_id = $1 and grant_state = 'open'`,
      values: [callId, payoutId],
    },
  ]
}

export function signed(payoutId: string, signature: string): Write[] {
  return [
    {
      name: 'sign',
      text: `update transfers set signature = $2, status = 'signed', changed_at = clock_timestamp() where payout_id = $1 and status = 'reserved'`,
      values: [payoutId, signature],
    },
  ]
}

function proof(
  ...values: [wallet: string, nonce: string, path: string, digest: string, callId: string]
): Write {
  const text =
    'insert into proof_nonces (wallet, nonce, path, body_sha256, call_id) values ($1, $2, $3, $4, $5)'
  return { name: 'proof', text, values }
}

function insertReceipt(
  payoutId: string,
  seq: number,
  kind: string,
  { jws, digest }: BaselineReceipt,
): Write {
  return {
    name: 'receipt',
    text: `insert into receipts (receipt_id, subject, seq, kind, jws, prev, kid, payload_sha256) values ($1, $2, $3, $4, $5, $6, 'bench', $7)`,
    values: [`rc_${digest}`, payoutId, seq, kind, jws, seq === 0 ? null : digest, digest],
  }
}

function answered(callId: string, payoutId: string, { jws }: BaselineReceipt): Write {
  return {
    name: 'answer',
    text: `update calls set grant_state = 'used', subject = $2, input = null, status = 200, answer = $3, answer_state = 'final', finished_at = clock_timestamp() where call_id = $1 and grant_state = 'open'`,
    values: [callId, payoutId, JSON.stringify({ payout: payoutId, receipt: jws, receipts: [jws] })],
  }
}
