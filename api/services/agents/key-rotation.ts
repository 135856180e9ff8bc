import { keyRotationText } from '#domain/agents/signature.ts'
import { agentKeyId } from '#domain/agents/statement.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { verifySignature } from '../../../activities/keys/compact.ts'
import type { ReceiptView } from '../../../activities/keys/receipt-view.ts'
import {
  findCredential,
  listCredentials,
} from '../../../activities/store/agents/agent-credentials.ts'
import {
  activateSigningVersion,
  insertSigningVersion,
  listSigningVersions,
  retireSigningVersion,
  revokeSigningVersions,
} from '../../../activities/store/agents/agent-signing-versions.ts'
import { lockAgent } from '../../../activities/store/agents/agents.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { type KeyActor, keyEvent, rotateCredential } from './credentials.ts'
import type { Issuing } from './deps.ts'
import { accessKeyVersion, agentKeyVersion, type KeyVersion } from './key-versions.ts'

/** The next signing key of an agent, and the signatures of both keys over `keyRotationText`, each 64 bytes as base64url. */
type NextKey = {
  public_key: { kty: 'OKP'; crv: 'Ed25519'; x: string }
  signed_by_old: string
  signed_by_next: string
}
type Rotation = {
  agentId: string
  overlapSeconds: number
  revokeOld: boolean
  reason: string
}
export type RotationRequest = Rotation & { by: KeyActor; nextKey?: NextKey | undefined }
type SigningRotation = Rotation & { by: KeyActor; nextKey: NextKey }
export type Rotated = {
  version: KeyVersion
  previous: KeyVersion
  next_action: string
  receipt: ReceiptView
}

/** Rotates the signing key of an agent, or with no next key prepares its next access key, in the caller's transaction. */
export function rotateKeys(
  deps: Issuing,
  tx: Tx,
  { by, nextKey, ...rotation }: RotationRequest,
): Promise<Rotated> {
  return nextKey === undefined
    ? rotateAccessKey(deps, tx, { ...rotation, by })
    : rotateSigningKey(deps, tx, { ...rotation, by, nextKey })
}

async function rotateAccessKey(
  deps: Issuing,
  tx: Tx,
  { by, ...rotation }: Rotation & { by: KeyActor },
): Promise<Rotated> {
  const credentials = await listCredentials(tx, rotation.agentId)
  const before = credentials.find(({ state }) => state !== 'pending')
  const { receipt } = await rotateCredential(deps, tx, { ...rotation, by })
  const [next] = await listCredentials(tx, rotation.agentId)
  const previous = before && (await findCredential(tx, before.credential_id))
  if (next === undefined || previous === undefined)
    throw new Error(`${rotation.agentId} had no access key to rotate`)
  const now = await clockSeconds(tx)
  return {
    version: accessKeyVersion(next, now),
    previous: accessKeyVersion(previous, now),
    next_action: 'Shake hands on the OS host with claim_credential to receive the next access key.',
    receipt,
  }
}

async function rotateSigningKey(
  deps: Issuing,
  tx: Tx,
  { by, agentId, overlapSeconds, revokeOld, reason, nextKey }: SigningRotation,
): Promise<Rotated> {
  await lockAgent(tx, agentId)
  const [newest, ...older] = await listSigningVersions(tx, agentId)
  const active = [newest, ...older].find((row) => row?.state === 'active')
  if (newest === undefined || active === undefined)
    throw new Error(`the agent ${agentId} has no active signing key`)
  const { public_key, ...signatures } = nextKey
  const keySha256 = digestOf(public_key)
  const text = keyRotationText(agentId, active.key_sha256, keySha256)
  const { signed_by_old, signed_by_next } = signatures
  assertSigned({
    name: 'signed_by_old',
    publicJwk: active.public_key,
    text,
    signature: signed_by_old,
  })
  assertSigned({ name: 'signed_by_next', publicJwk: public_key, text, signature: signed_by_next })
  const version = newest.version + 1
  if (!(await insertSigningVersion(tx, { agentId, version, publicKey: public_key, keySha256 })))
    throw refuse('key_already_registered', {
      detail: 'this key belongs to an agent',
      next_action: 'Make a fresh key for the rotation.',
    })
  if (revokeOld) await revokeSigningVersions(tx, agentId)
  else await retireSigningVersion(tx, agentId, overlapSeconds)
  await activateSigningVersion(tx, agentId)
  const facts = {
    act: 'rotate_signing',
    reason,
    agent_id: agentId,
    version,
    key_sha256: keySha256,
    public_key,
    previous_version: active.version,
    previous_key_sha256: active.key_sha256,
    old_revoked: revokeOld,
    ...signatures,
  }
  const subject = `key_${digestOf({ key_id: agentKeyId(agentId, version) })}`
  const receipt = await keyEvent(deps, tx, { by, subject, facts })
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

type Signature = {
  name: string
  publicJwk: Record<string, unknown>
  text: string
  signature: string
}

function assertSigned({ name, publicJwk, text, signature }: Signature): void {
  if (verifySignature({ alg: 'EdDSA', publicJwk }, text, Buffer.from(signature, 'base64url')))
    return
  throw refuse('proof_invalid', {
    detail: `${name} is not that key’s signature over the rotation`,
    next_action: 'Sign the text of the rotation with the key that is active and with the next one.',
  })
}
