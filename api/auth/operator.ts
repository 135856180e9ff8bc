import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { findSession } from '../../activities/store/operators/operator-sessions.ts'
import type { findOperator } from '../../activities/store/operators/operators.ts'
import type { CallRequest } from '../context.ts'
import { presentedSession } from './operator-session.ts'
import { isAccessKey } from './public-caller.ts'
import { hasDigest } from './secret.ts'

/** Looks an operator up by the id in the credential; undefined when unknown or revoked. */
export type FindOperator = (operatorId: string) => ReturnType<typeof findOperator>
/** Tokens are taken only where an issuer is configured. */
export type KnownOperators = {
  readonly find: FindOperator
  /** Looks up the session of a secret; undefined when it is unknown or over. */
  readonly findSession: (secret: string) => ReturnType<typeof findSession>
  readonly verifyToken?: VerifyOperatorToken | undefined
  /** Whether the console is reached over HTTPS, so that its cookies are those of this host alone. */
  readonly secure: boolean
}

export type AuthenticatedOperator = { readonly operatorId: string; readonly name: string }
/** Throws 429 where this caller may not cause a request to the issuer. */
export type MayAskOthers = () => Promise<void>
export type VerifyOperatorToken = (
  token: string,
  mayAskOthers: MayAskOthers,
) => Promise<AuthenticatedOperator>

type Headers = CallRequest['headers']

/** Whether a call presents an operator: our own credential, a JWT in compact form, or a session of the console. */
export const presentsOperator = (headers: Headers): boolean =>
  headers['authorization'] === undefined
    ? [true, false].some((secure) => presentedSession(headers, secure) !== undefined)
    : isOfOperator(headers['authorization'])

/** Whether a header presents an operator's credential, or a JWT in compact form. */
export const isOfOperator = (header: Headers[string]): boolean =>
  /^Bearer (op_|eyJ)/i.test(String(header))

const token = /^Bearer (eyJ[\w-]+\.[\w-]+\.[\w-]+)$/i
const credential = /^Bearer op_([0-9a-f]{16})_([0-9a-f]{64})$/i

/**
 * The operator behind `Authorization: Bearer op_<id>_<secret>`, an access token of the configured issuer, or the session of the console.
 * Throws 401 `operator_required` without a credential and for an agent's access key, and `credential_invalid` for a wrong one.
 */
export async function authenticateOperator(
  headers: Headers,
  { find, findSession, verifyToken, secure }: KnownOperators,
  mayAskOthers: MayAskOthers = async () => undefined,
): Promise<AuthenticatedOperator> {
  const header = headers['authorization']
  if (header === undefined || header === '') {
    const secret = presentedSession(headers, secure)
    const session = secret === undefined ? undefined : await findSession(secret)
    if (session !== undefined) return { operatorId: session.operatorId, name: session.name }
    if (secret !== undefined) throw endedSession()
    throw refuse('operator_required', {
      detail: 'the header Authorization: Bearer op_… is missing',
    })
  }
  const text = typeof header === 'string' ? header : ''
  if (isAccessKey(text))
    throw refuse('operator_required', {
      detail: 'an access key of an agent is no credential of an operator',
    })
  const [, jwt] = token.exec(text) ?? []
  if (jwt !== undefined && verifyToken !== undefined) return verifyToken(jwt, mayAskOthers)
  const [, operatorId, secret] = credential.exec(text) ?? []
  if (operatorId === undefined || secret === undefined) throw wrongCredential()
  const operator = await find(operatorId.toLowerCase())
  if (!hasDigest(secret.toLowerCase(), operator?.secretSha256) || operator === undefined)
    throw wrongCredential()
  return { operatorId: operator.operatorId, name: operator.name }
}

const endedSession = (): DomainError =>
  refuse('credential_invalid', {
    detail: 'the session is over',
    next_action: 'Sign in again.',
  })

const wrongCredential = (): DomainError =>
  refuse('credential_invalid', {
    detail: 'the credential is not one of an operator',
  })
