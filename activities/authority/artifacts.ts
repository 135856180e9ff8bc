import {
  type Artifact,
  type ArtifactKind,
  artifactSchemas,
  authorityContexts,
  signedText,
  type Unsigned,
} from '#domain/authority/artifacts.ts'
import type { Flaw } from '#domain/authority/facts.ts'
import { isActivatedBy } from '#domain/receipts/key-standing.ts'
import { decodeBase64url, encodeBase64url, verifySignature } from '../keys/compact.ts'
import type { KeyStatus } from '../keys/key-status.ts'

/** Signs an artifact with the active key of the authority ring; a transaction that stores it keeps the key active. */
export async function signArtifact<Kind extends ArtifactKind>(
  kind: Kind,
  keyStatus: KeyStatus,
  unsigned: Unsigned<Kind>,
): Promise<Artifact<Kind>> {
  const key = keyStatus.signer('authority')
  const named = { ...unsigned, context: authorityContexts[kind], key_id: key.kid }
  const signature = encodeBase64url(await key.sign(signedText(kind, named)))
  return artifactSchemas[kind].parse({ ...named, signature }) as Artifact<Kind>
}

/**
 * A presented artifact, or why it is none of this kind. A revoked key signs nothing, and one that is active only after the end of the
 * artifact did not sign it; a retired one's signatures stay valid.
 */
export function readArtifact<Kind extends ArtifactKind>(
  kind: Kind,
  keyStatus: KeyStatus,
  presented: unknown,
): { artifact: Artifact<Kind> } | { flaw: Flaw } {
  const parsed = artifactSchemas[kind].safeParse(presented)
  if (!parsed.success) return { flaw: 'schema' }
  const artifact = parsed.data as Artifact<Kind>
  const key = keyStatus
    .verifiers('authority')
    .find(({ kid, revokedAt }) => kid === artifact.key_id && revokedAt === null)
  const last = 'executed_at' in artifact ? artifact.executed_at : artifact.expires_at
  if (key === undefined || !isActivatedBy(key, Date.parse(last) / 1000))
    return { flaw: 'signature' }
  if (!isSigned(kind, artifact, key)) return { flaw: 'signature' }
  return { artifact }
}

function isSigned<Kind extends ArtifactKind>(
  kind: Kind,
  artifact: Artifact<Kind>,
  key: Parameters<typeof verifySignature>[0],
): boolean {
  try {
    const signature = decodeBase64url(artifact.signature)
    return verifySignature(key, signedText(kind, artifact), signature)
  } catch {
    return false
  }
}
