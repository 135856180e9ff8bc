import { sql } from 'kysely'
import { limits } from '../../workflows/domain/limits.ts'
import { type Tx, transaction } from './db.ts'
import { fixed } from './fixed.ts'
import { type CallIdentity, type GrantedToLead, leaseEnd, lockCaller } from './grants.ts'

/**
 * Grants a new call on the free tier in one exchange with Postgres. False, and nothing is written, where anything stands in its
 * way: a call of this id, a used proof nonce, a debt, a credit that goes first, or no free call left; `readStanding` tells which.
 */
export async function grantFree(
  db: Tx,
  { callId, caller, operation, key, fingerprint, path, proof }: CallIdentity,
  { lease, input }: GrantedToLead,
): Promise<boolean> {
  if (proof === null) return false
  const { wallet, nonce, bodySha256 } = proof
  const kept = input === undefined ? null : JSON.stringify(input)
  const identity = [callId, caller, operation, key, fingerprint, path, wallet, nonce, bodySha256] as const
  const { rows } = await transaction(db, async (_, last) => {
    last(lockCaller(caller))
    return last(insertFree(...identity, lease.holder, lease.ms, kept))
  })
  return rows.length > 0
}

const insertFree = fixed(
  (
    _,
    callId: string,
    caller: string,
    operation: string,
    key: string,
    fingerprint: string,
    path: string,
    wallet: string,
    nonce: string,
    bodySha256: string,
    holder: string,
    leaseMs: number,
    input: string | null,
  ) => sql<{ call_id: string }>`
    with granted as (
      insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding,
        proof_nonce, path, body_sha256, lease_holder, lease_until, input)
      select ${callId}, ${caller}, ${operation}, ${key}, ${fingerprint}, 'open', 'open', 'free',
        ${nonce}, ${path}, ${bodySha256}, ${holder}, ${leaseEnd(leaseMs)}, ${input}::json
      where not exists (select from proof_nonces where wallet = ${wallet} and nonce = ${nonce})
        and not exists (select from payments where proof_wallet = ${wallet} and credit = 'available')
        and not exists (select from calls c join payments p using (payment_id)
          where c.caller = ${caller} and c.answer_state = 'done' and p.state = 'failed')
        and (select count(*) from calls f where f.caller = ${caller} and f.funding = 'free' and f.grant_state <> 'released'
          and f.granted_at > clock_timestamp() - ${limits.freeWindowSeconds} * interval '1 second') < ${limits.freeCallsPerWindow}
      on conflict do nothing returning call_id)
    insert into proof_nonces (wallet, nonce, path, body_sha256, call_id)
    select ${wallet}, ${nonce}, ${path}, ${bodySha256}, call_id from granted returning call_id`,
)
