import { type DomainError, refuse } from '#domain/core/errors.ts'
import type { findOperator } from '../../activities/store/agents/operators.ts'
import { hasDigest } from './secret.ts'

/** Looks an operator up by the id in the credential; undefined when unknown or revoked. */
export type FindOperator = (operatorId: string) => ReturnType<typeof findOperator>
/** Tokens are taken only where an issuer is configured. */
export type KnownOperators = {
  readonly find: FindOperator
  readonly verifyToken?: VerifyOperatorToken | undefined
}

export type AuthenticatedOperator = { readonly operatorId: string; readonly name: string }
/** Throws 429 where this caller may not cause a request to the issuer. */
export type MayAskOthers = () => Promise<void>
export type VerifyOperatorToken = (
  token: string,
  mayAskOthers: MayAskOthers,
) => Promise<AuthenticatedOperator>

/** What an operator presents: our own credential, or a JWT in compact form. */
export const isOperatorHeader = (header: unknown): boolean =>
  /^Bearer (op_|eyJ)/i.test(String(header ?? ''))
const token = /^Bearer (eyJ[\w-]+\.[\w-]+\.[\w-]+)$/i
const credential = /^Bearer op_([0-9a-f]{16})_([0-9a-f]{64})$/i

/**
 * The operator behind `Authorization: Bearer op_<id>_<secret>` or an access token of the configured issuer.
 * Throws 401 `operator_required` without a credential and `credential_invalid` for a wrong one.
 */
export async function authenticateOperator(
  header: string | string[] | undefined,
  { find, verifyToken }: KnownOperators,
  mayAskOthers: MayAskOthers = async () => undefined,
): Promise<AuthenticatedOperator> {
  if (header === undefined || header === '') {
    throw refuse('operator_required', {
      detail: 'the header Authorization: Bearer op_… is missing',
    })
  }
  const text = typeof header === 'string' ? header : ''
  const [, jwt] = token.exec(text) ?? []
  if (jwt !== undefined && verifyToken !== undefined) return verifyToken(jwt, mayAskOthers)
  const [, operatorId, secret] = credential.exec(text) ?? []
  if (operatorId === undefined || secret === undefined) throw wrongCredential()
  const operator = await find(operatorId.toLowerCase())
  if (!hasDigest(secret.toLowerCase(), operator?.secretSha256) || operator === undefined)
    throw wrongCredential()
  return { operatorId: operator.operatorId, name: operator.name }
}

const wrongCredential = (): DomainError =>
  refuse('credential_invalid', {
    detail: 'the credential is not one of an operator',
  })
