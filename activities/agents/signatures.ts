import { verifySignature } from '../keys/compact.ts'
import { listSpeakingKeys } from '../store/agents/agent-signing-versions.ts'
import type { Tx } from '../store/postgres/db.ts'

type SignedText = { agentId: string; text: string; signature: string }

/** Whether an active key of the agent made this Ed25519 signature, 64 bytes as base64url. */
export async function isSignedByAgent(
  db: Tx,
  { agentId, text, signature }: SignedText,
): Promise<boolean> {
  const bytes = Buffer.from(signature, 'base64url')
  const keys = await listSpeakingKeys(db, agentId)
  return keys.some(({ public_key }) =>
    verifySignature({ alg: 'EdDSA', publicJwk: public_key }, text, bytes),
  )
}
