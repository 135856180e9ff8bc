import { type DomainError, refuse } from '#domain/core/errors.ts'
import { hasDigest } from '../../activities/keys/derived-tokens.ts'
import type { findSession } from '../../activities/store/operators/operator-sessions.ts'
import type { findOperator } from '../../activities/store/operators/operators.ts'
import type { Caller, CallRequest } from '../context.ts'
import { type AskingLimits, type MayAskOthers, mayAskOthers } from './attempts.ts'
import type { Method, ReadCall } from './method.ts'
import { presentedSession } from './operator-session.ts'
import { isAccessKey } from './public-caller.ts'
import { type FindTokens, recogniseSubject } from './status-token.ts'

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
export type VerifyOperatorToken = (
  token: string,
  mayAskOthers: MayAskOthers,
) => Promise<AuthenticatedOperator>

/** What an operator is checked with. */
type OperatorNeeds = AskingLimits & {
  readonly operators: KnownOperators
  readonly agents: { readonly findTokens: FindTokens }
}

/** By an operator's credential, access token or session of the console. */
export const byOperator: Method<OperatorNeeds> = async ({ request }, deps) => {
  const { address, headers } = request
  const operator = await deps.attempts.guard({ address }, () =>
    authenticateOperator(headers, deps.operators, mayAskOthers(address, deps)),
  )
  return {
    way: 'operator',
    isAnyone: false,
    callerOf: (call) => operatorCaller(call, operator, deps),
  }
}

/** The operator, with the subject of the call where its path names one. */
function operatorCaller(
  { operation, request }: ReadCall,
  operator: AuthenticatedOperator,
  deps: OperatorNeeds,
): Caller | Promise<Caller> {
  const caller = { kind: 'operator', id: `operator:${operator.operatorId}`, ...operator } as const
  const { token } = request.params
  if (token === undefined || operation.statusToken === undefined) return caller
  const { prefixes } = operation.statusToken
  return deps.attempts.guard({ address: request.address }, async () => ({
    ...caller,
    subject: await recogniseSubject(token, prefixes, deps.agents.findTokens),
  }))
}

type Headers = CallRequest['headers']

/** Whether a call presents an operator: our own credential, a JWT in compact form, or a session of the console. */
export const presentsOperator = (headers: Headers): boolean =>
  headers['authorization'] === undefined
    ? [true, false].some((secure) => presentedSession(headers, secure) !== undefined)
    : isOfOperator(headers['authorization'])

/** Whether a header presents an operator's credential, or a JWT in compact form. */
export const isOfOperator = (header: Headers[string]): boolean =>
  /^Bearer (op_|eyJ)/i.test(String(header))

const tokenForm = /^Bearer (eyJ[\w-]+\.[\w-]+\.[\w-]+)$/i
const credentialForm = /^Bearer op_([0-9a-f]{16})_([0-9a-f]{64})$/i

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
  const [, jwt] = tokenForm.exec(text) ?? []
  if (jwt !== undefined && verifyToken !== undefined) return verifyToken(jwt, mayAskOthers)
  const [, operatorId, secret] = credentialForm.exec(text) ?? []
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
