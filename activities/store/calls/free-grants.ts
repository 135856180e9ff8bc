import { sql } from 'kysely'
import { limits } from '#domain/core/limits.ts'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'
import type { CallIdentity, GrantedToLead } from './grants.ts'

/**
 * Grants a new call on the free tier in one statement (`grant_free` of migration 0018). False, and nothing is written, where anything
 * stands in its way: a call of this id, a used proof nonce, a debt, a credit that goes first, or no free call left; `readStanding`
 * tells which.
 */
export async function grantFree(
  db: Tx,
  { callId, caller, operation, key, fingerprint, path, proof }: CallIdentity,
  { lease, input }: GrantedToLead,
): Promise<boolean> {
  if (proof === null) return false
  const { wallet, nonce, bodySha256 } = proof
  const kept = input === undefined ? null : JSON.stringify(input)
  const identity = [
    callId,
    caller,
    operation,
    key,
    fingerprint,
    path,
    wallet,
    nonce,
    bodySha256,
  ] as const
  const [row] = await selectGranted(...identity, lease.holder, lease.ms, kept).execute(db)
  return row?.granted === true
}

const selectGranted = prepared(
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
  ) => sql<{ granted: boolean }>`
    select grant_free(${callId}, ${caller}, ${operation}, ${key}, ${fingerprint}, ${path}, ${wallet}, ${nonce}, ${bodySha256},
      ${holder}, ${leaseMs}, ${input}::json, ${limits.freeCallsPerWindow}, ${limits.freeWindowSeconds}) as granted`,
)
