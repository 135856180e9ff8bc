import { createRemoteJWKSet, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Config } from '../../activities/config/config.ts'
import { accessTokenTerms } from './access-token-terms.ts'
import type { AuthenticatedOperator, VerifyOperatorToken } from './operator.ts'

/** `audience` and `scope` must be in each token, so a token for another service is refused. */
export type TokenSettings = { issuer: string; audience: string; scope: string }

const TIMEOUT_MS = 2_000
const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })
const person = z
  .object({ name: z.string(), preferred_username: z.string(), email: z.string() })
  .partial()

/** The check of access tokens that is configured; undefined where no issuer is. */
export function operatorTokensOf(config: Config): VerifyOperatorToken | undefined {
  if (config.OPERATOR_OIDC_ISSUER === '') return undefined
  return operatorTokens({
    issuer: config.OPERATOR_OIDC_ISSUER,
    audience: config.OPERATOR_OIDC_AUDIENCE || config.BASE_URL,
    scope: config.OPERATOR_OIDC_SCOPE,
  })
}

/**
 * Verifies access tokens of an OpenID Connect issuer (RFC 9068 §4, OpenID Connect Discovery 1.0 §4): signature by its published
 * keys, issuer, audience, time and scope. Throws 401 `credential_invalid`, and 503 `unavailable` while its keys cannot be read.
 */
export function operatorTokens({ issuer, audience, scope }: TokenSettings): VerifyOperatorToken {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined
  const readKeys = () => {
    keys ??= discover(issuer).catch((error: unknown) => {
      keys = undefined
      throw error
    })
    return keys
  }
  return async (token, mayAskOthers) => {
    if (!(await knowsKeyOf(token, keys))) await mayAskOthers()
    const options = { issuer, audience, ...accessTokenTerms }
    const { payload } = await readKeys()
      .then((known) => jwtVerify(token, known, options))
      .catch(check)
    const scopes = typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : []
    if (!scopes.includes(scope)) throw wrongToken(`the token lacks the scope ${scope}`)
    return operatorOf(issuer, payload)
  }
}

type Keys = ReturnType<typeof createRemoteJWKSet>

/** Whether the key that the token names was read before, so that nothing has to be fetched to judge it. */
async function knowsKeyOf(token: string, keys: Promise<Keys> | undefined): Promise<boolean> {
  const known = await keys?.catch(() => undefined)
  try {
    const { kid } = decodeProtectedHeader(token)
    return known?.jwks()?.keys.some((key) => key.kid === kid) ?? false
  } catch {
    return true
  }
}

async function discover(issuer: string) {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`)
  const found = discovery.parse(await answer.json())
  if (found.issuer !== issuer) throw new Error(`${url} names another issuer`)
  return createRemoteJWKSet(new URL(found.jwks_uri), { timeoutDuration: TIMEOUT_MS })
}

/** The same person of the same issuer is the same operator, whatever the name says today. */
export const operatorIdOf = (issuer: string, subject: string): string =>
  `oidc_${sha256Hex(`${issuer}\n${subject}`).slice(0, 32)}`

function operatorOf(issuer: string, payload: JWTPayload): AuthenticatedOperator {
  const subject = payload.sub ?? ''
  const { name, preferred_username, email } = person.catch({}).parse(payload)
  const shown = name ?? preferred_username ?? email ?? subject
  return {
    operatorId: operatorIdOf(issuer, subject),
    name: shown.slice(0, 120),
  }
}

/** When the keys cannot be read, the service is at fault and not the bearer. */
const unreadable = [errors.JOSEError, errors.JWKSTimeout, errors.JWKSInvalid].map(
  ({ code }) => code,
)

function check(error: unknown): never {
  if (error instanceof errors.JOSEError && !unreadable.includes(error.code))
    throw wrongToken(`the token is not a good one of the operators’ issuer: ${error.code}`)
  throw refuse('unavailable', {
    detail: 'the keys of the operators’ issuer cannot be read',
  })
}

const wrongToken = (detail: string) =>
  refuse('credential_invalid', {
    detail,
  })
