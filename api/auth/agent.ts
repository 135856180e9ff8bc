import { parseCredential } from '#domain/agents/credential.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import { hasDigest } from './secret.ts'

/** Finds a credential by its id; each call reads the database. */
type FindCredential = (credentialId: string) => Promise<CredentialOfAgent | undefined>

/** A credential counts where the database has it and one of our keys, which are in no database, derives its secret. */
export type KnownCredentials = {
  readonly findCredential: FindCredential
  readonly isCredentialSecret: (credentialId: string, secret: string) => boolean
}

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
  { findCredential: find, isCredentialSecret }: KnownCredentials,
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
  if (!isCredentialSecret(given.credentialId, given.secret)) throw unknownCredential()
  return credential
}

function presented(header: Header): { credentialId: string; secret: string } | undefined {
  const [, text] = (typeof header === 'string' ? /^Bearer (ag_\S+)$/i.exec(header) : null) ?? []
  return text === undefined ? undefined : parseCredential(text)
}

const unknownCredential = (): DomainError =>
  refuse('credential_invalid', {
    detail: 'the credential is not one of an agent',
  })
