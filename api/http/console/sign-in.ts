import type { Request, Response } from 'express'
import * as oidc from 'openid-client'
import { refuse } from '#domain/core/errors.ts'
import type { Config } from '../../../activities/config/config.ts'
import type { AuthenticatedOperator } from '../../auth/operator.ts'
import { operatorIdOf } from '../../auth/operator-token.ts'
import type { PipelineDeps } from '../../calls/deps.ts'

type SignInSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Of the access token. */
  audience: string
  scope: string
  baseUrl: string
}
type SignInDeps = {
  /** Verifies an access token: issuer, audience, type and scope give the rights. */
  verifyToken: (accessToken: string) => Promise<AuthenticatedOperator>
  /** Signs the operator in; returns the cookies of the session. */
  open: (operator: AuthenticatedOperator) => Promise<{ cookies: string[] }>
}

const COOKIE = 'agent_rails_sign_in'
const MINUTES = 10

/** Signing in at the configured issuer; undefined where none is, or no client of it. */
export function signInOf(config: Config, { operators, services }: PipelineDeps) {
  const { verifyToken } = operators
  if (verifyToken === undefined || config.OPERATOR_OIDC_CLIENT_ID === '') return undefined
  const settings = {
    issuer: config.OPERATOR_OIDC_ISSUER,
    clientId: config.OPERATOR_OIDC_CLIENT_ID,
    clientSecret: config.OPERATOR_OIDC_CLIENT_SECRET,
    audience: config.OPERATOR_OIDC_AUDIENCE || config.BASE_URL,
    scope: config.OPERATOR_OIDC_SCOPE,
    baseUrl: config.BASE_URL,
  }
  return oidcSignIn(settings, {
    verifyToken: (token) => verifyToken(token, async () => undefined),
    open: (operator) => services.sessions.open(operator),
  })
}

/**
 * Signs operators in at an OpenID Connect issuer: authorization code with PKCE (RFC 7636), state and nonce. The ID token says who it
 * is, and the access token what they may do; both have to be of the same person.
 */
export function oidcSignIn(settings: SignInSettings, deps: SignInDeps) {
  const redirectUri = `${settings.baseUrl}/console/oidc/finish`
  const client = lazily(() => discover(settings))
  return {
    /** GET /console/oidc/begin: to the issuer. */
    begin: async (_request: Request, response: Response) => {
      const [state, nonce, verifier] = [
        oidc.randomState(),
        oidc.randomNonce(),
        oidc.randomPKCECodeVerifier(),
      ]
      const url = oidc.buildAuthorizationUrl(await client(), {
        redirect_uri: redirectUri,
        scope: `openid ${settings.scope}`,
        resource: settings.audience,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      response
        .cookie(COOKIE, `${state}.${nonce}.${verifier}`, {
          httpOnly: true,
          // The issuer sends the browser back, so that a strict cookie would be missing.
          sameSite: 'lax',
          secure: settings.baseUrl.startsWith('https:'),
          path: '/console/oidc',
          maxAge: MINUTES * 60_000,
        })
        .redirect(url.href)
    },
    /** GET /console/oidc/finish: from the issuer, with the code. */
    finish: async (request: Request, response: Response) => {
      const [expectedState, expectedNonce, pkceCodeVerifier] = begun(request)
      response.clearCookie(COOKIE, { path: '/console/oidc' })
      const here = new URL(request.originalUrl, settings.baseUrl)
      const checks = { expectedState, expectedNonce, pkceCodeVerifier, idTokenExpected: true }
      const tokens = await oidc
        .authorizationCodeGrant(await client(), here, checks)
        .catch((error: unknown) => {
          throw notSignedIn(String(error instanceof Error ? error.message : error))
        })
      const operator = await deps.verifyToken(tokens.access_token)
      const subject = tokens.claims()?.sub
      if (subject === undefined || operatorIdOf(settings.issuer, subject) !== operator.operatorId)
        throw notSignedIn('the ID token and the access token are of different people')
      const { cookies } = await deps.open(operator)
      response.append('Set-Cookie', cookies).redirect('/console/')
    },
  }
}

async function discover({ issuer, clientId, clientSecret }: SignInSettings) {
  const url = new URL(issuer)
  const secret = clientSecret === '' ? undefined : clientSecret
  const authentication = secret === undefined ? oidc.None() : undefined
  // The signature of the ID token is checked too, although it comes straight from the issuer.
  const execute = [oidc.enableNonRepudiationChecks]
  if (url.protocol === 'http:' && isLoopback(url)) execute.push(oidc.allowInsecureRequests)
  return oidc.discovery(url, clientId, secret, authentication, { execute, timeout: 5 })
}

const isLoopback = ({ hostname }: URL) => ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)

/** One attempt for all who wait; a failed one is made again. */
function lazily(make: () => Promise<oidc.Configuration>): () => Promise<oidc.Configuration> {
  let made: Promise<oidc.Configuration> | undefined
  return () => {
    made ??= make().catch(() => {
      made = undefined
      throw refuse('unavailable', { detail: 'the issuer of the operators cannot be read' })
    })
    return made
  }
}

function begun(request: Request): [string, string, string] {
  const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1)
  const [state, nonce, verifier] = value?.split('.') ?? []
  if (state === undefined || nonce === undefined || verifier === undefined)
    throw notSignedIn('this browser did not begin to sign in, or more than ten minutes ago')
  return [state, nonce, verifier]
}

const notSignedIn = (detail: string) =>
  refuse('credential_invalid', { detail, next_action: 'Sign in again at /console.' })
