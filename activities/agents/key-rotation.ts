import { keyRotationText } from '../../workflows/domain/agent-signature.ts'
import { agentKeyId } from '../../workflows/domain/agent-statement.ts'
import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { verifySignature } from '../keys/compact.ts'
import type { ReceiptView } from '../receipt-view.ts'
import { findCredential, listCredentials } from '../store/agent-credentials.ts'
import {
  activateSigningVersion,
  insertSigningVersion,
  listSigningVersions,
  retireSigningVersion,
  revokeSigningVersions,
} from '../store/agent-signing-versions.ts'
import { lockAgent } from '../store/agents.ts'
import { answerCall, claimGrant } from '../store/calls.ts'
import { clockSeconds, type Tx, transaction } from '../store/db.ts'
import { send } from '../store/pipeline.ts'
import { type KeyActor, keyEvent, rotateCredential } from './credential-acts.ts'
import type { AgentDeps, Issuing } from './deps.ts'
import { accessKeyVersion, agentKeyVersion, type KeyVersion } from './key-versions.ts'

/** The next signing key of an agent, and the signatures of both keys over `keyRotationText`, each 64 bytes as base64url. */
export type NextKey = {
  public_key: { kty: 'OKP'; crv: 'Ed25519'; x: string }
  signed_by_old: string
  signed_by_next: string
}
export type Rotation = { agentId: string; overlapSeconds: number; revokeOld: boolean; reason: string }
type Rotated = { version: KeyVersion; previous: KeyVersion; next_action: string; receipt: ReceiptView }
type RotationDeps = Issuing & Pick<AgentDeps, 'db'>

/** Changes the signing key of an agent, or with no next key prepares its next access key, in one transaction with the call's answer. */
export async function rotateKeys(
  deps: RotationDeps,
  by: KeyActor,
  rotation: Rotation & { nextKey?: NextKey | undefined },
  callId: string,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    await claimGrant(tx, callId, rotation.agentId)
    const { nextKey } = rotation
    const rotated =
      nextKey === undefined
        ? await rotateAccessKey(deps, tx, by, rotation)
        : await rotateSigningKey(deps, tx, by, { ...rotation, nextKey })
    await send(tx, answerCall(callId, rotation.agentId, 201, rotated))
  })
}

async function rotateAccessKey(deps: RotationDeps, tx: Tx, by: KeyActor, rotation: Rotation): Promise<Rotated> {
  const before = (await listCredentials(tx, rotation.agentId)).find(({ state }) => state !== 'pending')
  const { receipt } = await rotateCredential(deps, tx, by, rotation)
  const [next] = await listCredentials(tx, rotation.agentId)
  const previous = before && (await findCredential(tx, before.credential_id))
  if (next === undefined || previous === undefined) throw new Error(`${rotation.agentId} had no access key to rotate`)
  const now = await clockSeconds(tx)
  return {
    version: accessKeyVersion(next, now),
    previous: accessKeyVersion(previous, now),
    next_action: 'Shake hands on the OS host with claim_credential to receive the next access key.',
    receipt,
  }
}

async function rotateSigningKey(
  deps: RotationDeps,
  tx: Tx,
  by: KeyActor,
  { agentId, overlapSeconds, revokeOld, reason, nextKey }: Rotation & { nextKey: NextKey },
): Promise<Rotated> {
  await lockAgent(tx, agentId)
  const [newest, ...older] = await listSigningVersions(tx, agentId)
  const active = [newest, ...older].find((row) => row?.state === 'active')
  if (newest === undefined || active === undefined) throw new Error(`the agent ${agentId} has no active signing key`)
  const { public_key, ...signatures } = nextKey
  const keySha256 = digestOf(public_key)
  const text = keyRotationText(agentId, active.key_sha256, keySha256)
  assertSignedBy('signed_by_old', active.public_key, text, nextKey.signed_by_old)
  assertSignedBy('signed_by_next', public_key, text, nextKey.signed_by_next)
  const version = newest.version + 1
  if (!(await insertSigningVersion(tx, { agentId, version, publicKey: public_key, keySha256 })))
    throw refuse('key_already_registered', 'this key belongs to an agent', 'Make a fresh key for the rotation.')
  if (revokeOld) await revokeSigningVersions(tx, agentId)
  else await retireSigningVersion(tx, agentId, overlapSeconds)
  await activateSigningVersion(tx, agentId)
  const facts = { act: 'rotate_signing', reason, agent_id: agentId, version, key_sha256: keySha256, public_key }
  const before = { previous_version: active.version, previous_key_sha256: active.key_sha256, old_revoked: revokeOld }
  const subject = `key_${digestOf({ key_id: agentKeyId(agentId, version) })}`
  const receipt = await keyEvent(deps, tx, by, subject, { ...facts, ...before, ...signatures })
  const now = await clockSeconds(tx)
  const rows = (await listSigningVersions(tx, agentId)).map((row) => agentKeyVersion(row, now))
  const viewOf = (wanted: number) => rows.find((row) => row.version === wanted) as KeyVersion
  return {
    version: viewOf(version),
    previous: viewOf(active.version),
    next_action: 'Sign with the next key from now on.',
    receipt,
  }
}

function assertSignedBy(name: string, publicJwk: Record<string, unknown>, text: string, signature: string): void {
  if (verifySignature({ alg: 'EdDSA', publicJwk }, text, Buffer.from(signature, 'base64url'))) return
  throw refuse(
    'proof_invalid',
    `${name} is not that key’s signature over the rotation`,
    'Sign the text of the rotation with the key that is active and with the next one.',
  )
}
