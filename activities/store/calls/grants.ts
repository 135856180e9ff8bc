import { sql } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { AtCommit, Tx } from '../postgres/db.ts'
import { prepared, preparedInsert, type Statement } from '../postgres/prepared.ts'
import { now } from '../postgres/rows.ts'
import type { CallRow } from './calls.ts'
import { type Lease, leaseEnd } from './leases.ts'
import { creditUndelivered, isUndelivered } from './undelivered.ts'

/** Identifies a call, with everything that its grant is bound to. */
export type CallIdentity = {
  callId: string
  caller: string
  operation: string
  key: string
  fingerprint: string
  path: string
  proof: { wallet: string; nonce: string; bodySha256: string } | null
}
export type Funding = { kind: 'none' | 'free' } | { kind: 'payment' | 'credit'; paymentId: string }
type Debt = { callId: string; paymentId: string; operation: string }

/** The status of a caller before a call: the call itself if it is live, and what could pay for a new one. */
export type Standing = {
  call: CallRow | undefined
  /** A call whose effect ran and whose payment is proven to have failed. */
  debt: Debt | undefined
  /** A settled payment whose call had no effect or whose answer was never delivered. */
  credit: string | undefined
  freeLeft: number
}

type StandingRow = CallRow & {
  proof_call: string | null
  proof_path: string | null
  proof_body: string | null
  debt_call: string | null
  debt_payment: string | null
  debt_operation: string | null
  credit: string | null
  undelivered: string | null
  free_used: number
}

/** Slots, credits and proof nonces of a caller change only under this lock. */
export const lockCaller = (caller: string): Statement => lockName(`caller:${caller}`)
const lockName = prepared(
  (_, name: string) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
)

const selectStanding = prepared(
  (
    _,
    callId: string,
    caller: string,
    wallet: string,
    proofWallet: string | null,
    proofNonce: string | null,
  ) =>
    sql<StandingRow>`
    select c.*, n.call_id as proof_call, n.path as proof_path, n.body_sha256 as proof_body,
      d.call_id as debt_call, d.payment_id as debt_payment, d.operation as debt_operation, u.call_id as undelivered,
      (select payment_id from payments where proof_wallet = ${wallet} and credit = 'available' order by changed_at limit 1) as credit,
      (select count(*)::integer from calls where caller = ${caller} and funding = 'free' and grant_state <> 'released'
        and granted_at > clock_timestamp() - ${sql.lit(limits.freeWindowSeconds)} * interval '1 second') as free_used
    from (values (1)) as one(row)
    left join calls c on c.call_id = ${callId} and c.grant_state <> 'released'
    left join proof_nonces n on n.wallet = ${proofWallet} and n.nonce = ${proofNonce}
    left join lateral (
      select c.call_id, c.payment_id, c.operation from calls c join payments using (payment_id)
      where c.caller = ${caller} and c.answer_state = 'done' and payments.state = 'failed' limit 1) d on true
    left join lateral (
      select c.call_id from calls c join payments using (payment_id)
      where c.caller = ${caller} and ${isUndelivered} and payments.state = 'settled' order by c.granted_at limit 1) u on true`,
)

/**
 * Locks the caller until the transaction ends and reads its status. Slots, credits and proof nonces of a caller
 * change only under this lock, so the status stays exact. Throws 409 `wallet_proof_replayed` for a nonce of another
 * path or body.
 */
export async function readStanding(tx: Tx, call: CallIdentity): Promise<Standing> {
  const { callId, caller, proof } = call
  const wallet = caller.replace(/^wallet:/, '')
  const locked = lockCaller(caller).run(tx)
  const [rows] = await Promise.all([
    selectStanding(callId, caller, wallet, proof?.wallet ?? null, proof?.nonce ?? null).run(tx),
    locked,
  ])
  const row = rows[0] as StandingRow
  const {
    proof_call,
    proof_path,
    proof_body,
    debt_call,
    debt_payment,
    debt_operation,
    free_used,
    ...rest
  } = row
  const { credit, undelivered, ...found } = rest
  if (proof_call !== null && (proof_path !== call.path || proof_body !== proof?.bodySha256))
    throw replayedProof()
  const live = (found as { call_id: string | null }).call_id === null ? undefined : found
  if (live === undefined && proof_call !== null) throw replayedProof()
  return {
    call: live,
    debt:
      debt_call === null || debt_payment === null || debt_operation === null
        ? undefined
        : { callId: debt_call, paymentId: debt_payment, operation: debt_operation },
    credit: credit ?? (undelivered === null ? undefined : await creditUndelivered(tx, undelivered)),
    freeLeft: Math.max(0, limits.freeCallsPerWindow - free_used),
  }
}

const replayedProof = () =>
  refuse('wallet_proof_replayed', {
    detail: 'the proof nonce was used for another path or body',
    next_action: 'Sign a new proof with a fresh nonce.',
  })

const insertProofNonce = preparedInsert('proof_nonces')

/** What a grant stores in addition to the call: its lease, and the input that a step of a workflow reads. */
export type GrantedToLead = { lease: Lease; input: unknown }
/** The grant of a read is used at once. */
export type Granted = GrantedToLead | 'read'

/** Grants a call that `readStanding` did not find: stores the proof nonce, and the call with its funding. */
export async function grantCall(
  tx: Tx,
  atCommit: AtCommit,
  call: CallIdentity,
  funding: Funding,
  granted: Granted,
): Promise<void> {
  if (funding.kind === 'credit') await useCredit(tx, funding.paymentId, call.callId)
  const { callId: call_id, caller, operation, key, fingerprint, path, proof } = call
  const row = {
    fingerprint,
    funding: funding.kind,
    payment_id: 'paymentId' in funding ? funding.paymentId : null,
    proof_nonce: proof?.nonce ?? null,
    path,
    body_sha256: proof?.bodySha256 ?? null,
    granted_at: now,
    ...(granted === 'read' ? readAlready(call_id, funding) : toBeLed(granted)),
  }
  atCommit(
    tx
      .insertInto('calls')
      .values({ call_id, caller, operation, key, ...row })
      // A live row here would mean a grant without the lock. The condition makes it an error instead of a second
      // grant.
      .onConflict((conflict) =>
        conflict.column('call_id').doUpdateSet({
          ...row,
          grant_state: sql<
            'open' | 'used'
          >`case when calls.grant_state = 'released' then ${row.grant_state} end`,
        }),
      ),
  )
  if (proof === null) return
  const { wallet, nonce, bodySha256: body_sha256 } = proof
  atCommit(insertProofNonce({ wallet, nonce, path, body_sha256, call_id }))
}

const toBeLed = ({ lease, input }: GrantedToLead) => ({
  grant_state: 'open' as const,
  answer_state: 'open' as const,
  lease_holder: lease.holder,
  lease_until: leaseEnd(lease.ms),
  input: input === undefined ? null : (JSON.stringify(input) as never),
})

/** A read has no other effect and is answered again each time, so its answer is not stored. */
const readAlready = (callId: string, funding: Funding) => ({
  grant_state: 'used' as const,
  answer_state: funding.kind === 'payment' ? ('done' as const) : ('final' as const),
  subject: callId,
  status: 200,
  answer: '{}' as never,
  finished_at: now,
})

async function useCredit(tx: Tx, paymentId: string, callId: string): Promise<void> {
  const used = await tx
    .updateTable('payments')
    .set({ credit: 'used', call_id: callId, changed_at: now })
    .where('payment_id', '=', paymentId)
    .where('credit', '=', 'available')
    .returning('payment_id')
    .executeTakeFirst()
  if (used === undefined) throw new Error('a credit was used twice: the caller lock was not held')
}
