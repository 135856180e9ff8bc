import { type RequestHandler, type Response, Router } from 'express'
import { scopes } from '#domain/agents/credential.ts'
import { errorCodes } from '#domain/core/error-codes.ts'
import { DomainError, type Refusal } from '#domain/core/errors.ts'
import type { Config } from '../../activities/config/config.ts'
import { type AuthDeps, methods } from '../auth/methods.ts'
import { presentedWay, wayOf } from '../calls/presented.ts'
import { problemAnswer } from '../calls/problem.ts'
import type { Sender } from '../http/sender.ts'
import { ENDPOINT } from '../mcp-protocol.ts'
import type { AnyOperation } from '../operation.ts'

/** Access by tokens of an issuer elsewhere: the service as a protected resource (RFC 9728). */
export type Oauth = {
  readonly issuer: string
  /** Why a call needs a token, or another one; undefined where its caller is known or need not be. */
  readonly refusalFor: (operation: AnyOperation, sender: Sender) => Promise<Refusal | undefined>
}

const METADATA = '/.well-known/oauth-protected-resource'

/** Undefined where no issuer is configured. */
export function oauthOf(
  { MCP_OAUTH_ISSUER: issuer }: Pick<Config, 'MCP_OAUTH_ISSUER'>,
  deps: AuthDeps,
): Oauth | undefined {
  if (issuer === '') return undefined
  return {
    issuer,
    refusalFor: (operation, sender) => {
      const { method, path } = operation.http
      const request = { ...sender, method, path, params: {}, query: {}, body: null }
      const operations = [operation]
      const way = wayOf(operations, presentedWay(operations, request))
      return methods[way]({ operations, request }, deps).then(() => undefined, unauthorized)
    },
  }
}

/** The refusal of a caller that is not identified; undefined for any other error, which the pipeline meets itself. */
const unauthorized = (error: unknown): Refusal | undefined =>
  error instanceof DomainError && errorCodes[error.refusal.code].status === 401
    ? error.refusal
    : undefined

/** The metadata of the resource, at both places where clients look. */
export function oauthMetadata({ issuer }: Oauth, baseUrl: string): RequestHandler {
  const metadata = {
    resource: baseUrl + ENDPOINT,
    resource_name: 'Agent Rails',
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
    resource_documentation: `${baseUrl}/docs`,
  }
  return Router().get([METADATA, METADATA + ENDPOINT], (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').json(metadata)
  })
}

/** A 401 that names the metadata, so that a client gets a token by itself. */
export function challenge(response: Response, refusal: Refusal, baseUrl: string): void {
  const { requestId, traceId } = response.locals as { requestId: string; traceId: string }
  const invalid = refusal.code === 'credential_invalid' ? ', error="invalid_token"' : ''
  const { status, body } = problemAnswer(refusal, { baseUrl, requestId, traceId })
  response
    .status(status)
    .set(
      'WWW-Authenticate',
      `Bearer resource_metadata="${baseUrl}${METADATA}${ENDPOINT}"${invalid}`,
    )
    .type('application/problem+json')
    .send(body)
}
