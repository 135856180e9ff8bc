import { digestOf } from '../core/canonical-json.ts'
import { trustLimits } from '../core/limits.ts'

export const proofKinds = ['receipt_passport', 'handoff_pack', 'evidence'] as const
type ProofKind = (typeof proofKinds)[number]
export type Proof = { kind: ProofKind; content: string; label: string }

/** The digest that names a proof in the inbox of a wallet. */
export const proofId = (wallet: string, { kind, content, label }: Proof): string =>
  digestOf({ wallet, kind, content, label })

/** What an inbox holds. `head` commits to all proofs in their order; null while there is none. */
export type Inbox = { records: number; bytes: number; head: string | null }

export const emptyInbox: Inbox = { records: 0, bytes: 0, head: null }

/** The inbox with one more proof of so many bytes, or the limit that it would exceed. */
export function withProof(
  { records, bytes, head }: Inbox,
  added: { proofId: string; bytes: number },
): Inbox | { exceeds: 'recordsPerWallet' | 'bytesPerWallet' } {
  if (records + 1 > trustLimits.recordsPerWallet) return { exceeds: 'recordsPerWallet' }
  if (bytes + added.bytes > trustLimits.bytesPerWallet) return { exceeds: 'bytesPerWallet' }
  const next = digestOf({ type: 'service.proof-inbox.v1', prev: head, proof_id: added.proofId })
  return { records: records + 1, bytes: bytes + added.bytes, head: next }
}
