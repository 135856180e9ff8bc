import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

type Asked = { redirectUri: string; nonce: string; challenge: string }
/** How the tokens of the next sign-in differ from right ones. */
type Bend = { id?: JWTPayload; access?: JWTPayload; accessTyp?: string; stranger?: boolean }

const client = 'agent-rails-console'

/** A small OpenID Connect issuer that signs everyone in as `ada`: authorization code with PKCE, one key, ES256. */
export async function startOidcIssuer(scope: string) {
  const known = await generateKeyPair('ES256')
  const strange = await generateKeyPair('ES256')
  const jwk = await exportJWK(known.publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const codes = new Map<string, Asked>()
  const bend: Bend = {}
  let issuer = ''
  let audience = ''

  const sign = (claims: JWTPayload, typ: string, key = known.privateKey) =>
    new SignJWT({ iss: issuer, sub: 'ada', name: 'Ada', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid, typ })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key)

  const tokens = async (form: URLSearchParams) => {
    const asked = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '')
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', verifier)).toString(
      'base64url',
    )
    const isRight = asked?.challenge === digest && asked.redirectUri === form.get('redirect_uri')
    if (asked === undefined || !isRight) return { error: 'invalid_grant' }
    const key = bend.stranger === true ? strange.privateKey : known.privateKey
    return {
      token_type: 'Bearer',
      expires_in: 300,
      id_token: await sign({ aud: client, nonce: asked.nonce, ...bend.id }, 'JWT', key),
      access_token: await sign(
        { aud: audience, scope: `openid ${scope}`, ...bend.access },
        bend.accessTyp ?? 'at+jwt',
      ),
    }
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['ES256'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        })
      case '/keys':
        return json(200, { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] })
      case '/authorize': {
        const value = (name: string) => url.searchParams.get(name) ?? ''
        const code = randomUUID()
        const redirectUri = value('redirect_uri')
        codes.set(code, { redirectUri, nonce: value('nonce'), challenge: value('code_challenge') })
        const back = new URL(redirectUri)
        back.search = String(new URLSearchParams({ code, state: value('state') }))
        return response.writeHead(302, { location: back.href }).end()
      }
      case '/token': {
        const answer = await tokens(new URLSearchParams(await text(request)))
        return json('error' in answer ? 400 : 200, answer)
      }
      default:
        return json(404, {})
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    client,
    /** Names the service that access tokens are for. */
    serve: (baseUrl: string) => {
      audience = baseUrl
    },
    /** Bends the tokens of the next sign-ins. */
    bend: (more: Bend) => {
      for (const name of Object.keys(bend)) delete bend[name as keyof Bend]
      Object.assign(bend, more)
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
