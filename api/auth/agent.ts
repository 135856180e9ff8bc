import {
  type CredentialFacts,
  checkCredential,
  type Denial,
  parseCredential,
} from '#domain/agents/credential.ts'
import { accessWithin } from '#domain/agents/trust-limits.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { unixSeconds } from '#domain/core/time.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import { hasDigest } from './secret.ts'

/** Finds a credential by its id; each call reads the database. */
export type FindCredential = (credentialId: string) => Promise<CredentialOfAgent | undefined>

type Header = string | string[] | undefined

/** The id in a presented credential, which is no secret; undefined where none is presented in its form. */
export function presentedCredentialId(header: Header): string | undefined {
  return presented(header)?.credentialId
}

/**
 * The credential behind `Authorization: Bearer ag_<id>_<secret>`, in any state; throws 401 `credential_required`
 * without one and `credential_invalid` for one that was never issued.
 */
export async function recogniseCredential(
  header: Header,
  find: FindCredential,
): Promise<CredentialOfAgent> {
  if (header === undefined || header === '') {
    throw refuse('credential_required', {
      detail: 'the header Authorization: Bearer ag_… is missing',
    })
  }
  const given = presented(header)
  if (given === undefined) throw unknownCredential()
  const credential = await find(given.credentialId)
  if (!hasDigest(given.secret, credential?.secret_sha256) || credential === undefined)
    throw unknownCredential()
  return credential
}

/** What the checks need to know of a credential. */
export function factsOf(credential: CredentialOfAgent): CredentialFacts {
  return {
    state: credential.state,
    ...accessWithin(credential.limits, credential),
    expiresAt: endOf(credential),
    retireAt: unixSeconds(credential.retire_at),
    trust: credential.trust_state,
    maxUsd: credential.limits?.max_usd ?? null,
  }
}

/** Why an access key is good for nothing, whatever it asks for; undefined for a good one. */
export const denialOf = (credential: CredentialOfAgent): Denial | undefined =>
  checkCredential(factsOf(credential), { scopes: [] }, credential.readAt)[0]

/** When the key ends: by its own life, or earlier by the age that the controls of its account allow. */
function endOf({ expires_at, claimed_at, maxAgeDays }: CredentialOfAgent): number | null {
  const [expiry, claimed] = [unixSeconds(expires_at), unixSeconds(claimed_at)]
  if (claimed === null || maxAgeDays === null) return expiry
  return Math.min(expiry ?? Number.POSITIVE_INFINITY, claimed + maxAgeDays * 86_400)
}

function presented(header: Header): { credentialId: string; secret: string } | undefined {
  const [, text] = (typeof header === 'string' ? /^Bearer (ag_\S+)$/i.exec(header) : null) ?? []
  return text === undefined ? undefined : parseCredential(text)
}

const unknownCredential = (): DomainError =>
  refuse('credential_invalid', {
    detail: 'the credential is not one of an agent',
  })
