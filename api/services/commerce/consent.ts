import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import {
  findActivity,
  findConsent,
  insertConsent,
} from '../../../activities/store/commerce/activity.ts'
import type { CommerceProofRow } from '../../../activities/store/commerce/proofs.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'

export const activityIdOf = (proofId: string): string => `ca_${proofId.slice('cp_'.length)}`

/** Whether the feed shows a proof now. */
export const isPublished = async (tx: Tx, proofId: string): Promise<boolean> =>
  (await findActivity(tx, proofId)) !== undefined

/**
 * Stores that the agent of a proof consents to its publication, or withdraws that, with a receipt; the same once more is the first one.
 * The caller holds the lock of the proof. Returns the JWS; undefined where there is nothing to withdraw.
 */
export async function consent(
  deps: ReceiptIssuer,
  tx: Tx,
  { row, consents }: { row: CommerceProofRow; consents: boolean },
): Promise<string | undefined> {
  const { proof_id, agent_id, usage } = row
  const last = await findConsent(tx, proof_id)
  if (last?.consents === consents) return last.jws
  if (last === undefined && !consents) return undefined
  const seq = (last?.seq ?? 0) + 1
  const seconds = await clockSeconds(tx)
  const facts = { proof_id, activity_id: activityIdOf(proof_id), agent_id, consents, sequence: seq }
  const subject = `cc_${digestOf({ proof_id, seq })}`
  const about = { subject, kind: 'publication', usage, facts }
  const jws = await issueReceipt(deps, tx, { ...about, nowSeconds: seconds })
  await insertConsent(tx, {
    proof_id,
    seq,
    consents,
    receipt_id: receiptId(jws),
    given_at: new Date(seconds * 1000),
  })
  return jws
}
