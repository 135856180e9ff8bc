import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { authenticateOperator } from '../../../api/auth/operator.ts'
import { operatorTokens } from '../../../api/auth/operator-token.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { verifies } from '../../verifies.ts'

const audience = 'http://127.0.0.1:3000'
const scope = 'agent-rails:operate'
let issuer: string
let server: Server
let isUp = true
let keysRead = 0
let apis: ComposedApis
const known = await generateKeyPair('ES256')
const strange = await generateKeyPair('ES256')

/** An OpenID Connect issuer of one key. */
beforeAll(async () => {
  const jwk = { ...(await exportJWK(known.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  server = createServer((request, response) => {
    if (request.url === '/keys') keysRead++
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: [jwk] },
    }
    const found = isUp ? documents[request.url ?? ''] : undefined
    response.writeHead(found === undefined ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  apis = await startComposed({ apis: 2, env: { OPERATOR_OIDC_ISSUER: issuer } })
})
afterAll(async () => {
  await apis?.stop()
  await new Promise((resolve) => server.close(resolve))
})

type Changes = {
  kid?: string
  claims?: JWTPayload
  key?: typeof known.privateKey
  expires?: string
  typ?: string | null
}
function tokenOf({
  kid = 'k1',
  claims = {},
  key = known.privateKey,
  expires = '5m',
  typ = 'at+jwt',
}: Changes = {}): Promise<string> {
  return new SignJWT({
    iss: issuer,
    aud: audience,
    sub: 'ada',
    scope: `openid ${scope}`,
    name: 'Ada',
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid, ...(typ === null ? {} : { typ }) })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key)
}

const allowed = async () => undefined
const unsigned = (payload: object) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(payload)}.AA`
}

async function answerTo(token: string): Promise<string> {
  const verifyToken = operatorTokens({ issuer, audience, scope })
  const none = async () => undefined
  const known = { find: none, findSession: none, verifyToken, secure: true }
  return authenticateOperator({ authorization: `Bearer ${token}` }, known).then(
    ({ name }) => name,
    (error: unknown) => (error instanceof DomainError ? error.refusal.code : String(error)),
  )
}

verifies(
  'keys.operator-token',
  'of what the issuer signs, only an access token makes an operator',
  async () => {
    for (const typ of ['at+jwt', 'application/at+jwt'])
      expect(await answerTo(await tokenOf({ typ }))).toBe('Ada')
    for (const typ of [null, 'JWT', 'logout+jwt', 'id+jwt'])
      expect(await answerTo(await tokenOf({ typ }))).toBe('credential_invalid')
  },
)

verifies(
  'pipeline.operator-oidc',
  'a token of the issuer is an operator; nothing else is',
  async () => {
    expect(await answerTo(await tokenOf())).toBe('Ada')
    const wrong = [
      await tokenOf({ key: strange.privateKey }),
      await tokenOf({ expires: '-1m' }),
      await tokenOf({ claims: { iss: 'https://elsewhere.example' } }),
      await tokenOf({ claims: { aud: 'https://elsewhere.example' } }),
      await tokenOf({ claims: { scope: 'openid' } }),
      await tokenOf({ claims: { scope: `${scope}s` } }),
      await tokenOf({ claims: { sub: undefined as never } }),
      unsigned({ iss: issuer, aud: audience, sub: 'ada', scope, exp: 4_102_444_800 }),
      `${(await tokenOf()).slice(0, -4)}AAAA`,
      'eyJ.eyJ.x',
    ]
    for (const token of wrong) expect(await answerTo(token), token).toBe('credential_invalid')
  },
)

verifies(
  'pipeline.operator-oidc',
  'keys that cannot be read are a 503, and read again with the next call',
  async () => {
    const verifyToken = operatorTokens({ issuer, audience, scope })
    const token = await tokenOf()
    isUp = false
    await expect(verifyToken(token, allowed)).rejects.toMatchObject({
      refusal: { code: 'unavailable' },
    })
    isUp = true
    expect(await verifyToken(token, allowed)).toMatchObject({ name: 'Ada' })
  },
)

verifies(
  'admission.other-services',
  'failed attempts stop issuer reads of unknown keys; known keys pass',
  async () => {
    const env = {
      OPERATOR_OIDC_ISSUER: issuer,
      TRUST_PROXY: '1',
      LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '3',
    }
    const few = await startComposed({ env })
    const consoleAs = async (from: string, bearer: string) => {
      const headers = { 'x-forwarded-for': from, authorization: `Bearer ${bearer}` }
      return (await fetch(`${few.hosts[0]!.base}/api/loop-review-console`, { headers })).status
    }
    try {
      const good = await tokenOf()
      const fresh = '192.0.2.31'
      for (let attempt = 0; attempt < 4; attempt++)
        await consoleAs(fresh, `op_${'0'.repeat(16)}_${'0'.repeat(64)}`)
      const before = keysRead
      // No key was read yet, so that every token is one of an unknown key.
      expect(await consoleAs(fresh, good)).toBe(429)
      expect(await consoleAs(fresh, await tokenOf({ kid: 'unknown' }))).toBe(429)
      expect(keysRead).toBe(before)
      expect(await consoleAs('192.0.2.32', good)).toBe(200)
      expect(keysRead).toBe(before + 1)
      expect(await consoleAs(fresh, good)).toBe(200)
      expect(await consoleAs(fresh, await tokenOf({ kid: 'unknown' }))).toBe(429)
      expect(await consoleAs('192.0.2.32', await tokenOf({ kid: 'unknown' }))).toBe(401)
    } finally {
      await few.stop()
    }
  },
)

verifies(
  'pipeline.operator-oidc',
  'over HTTP the same person is the same operator in every process',
  async () => {
    const bearer = async (claims: JWTPayload) => ({
      authorization: `Bearer ${await tokenOf({ claims })}`,
    })
    const pause = async (base: string, headers: Record<string, string>) => {
      const body = {
        scope: 'wallet',
        target: `0x${'a2'.repeat(20)}`,
        paused: true,
        reason: 'a drill',
        idempotency_key: 'drill',
      }
      const answer = await fetch(`${base}/api/os-security-hardening`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: await answer.text() }
    }
    const [one, two] = apis.hosts
    const first = await pause(one!.base, await bearer({}))
    expect(first).toMatchObject({ status: 200 })
    expect(await pause(two!.base, await bearer({ name: 'Ada Lovelace' }))).toEqual(first)
    expect(await pause(two!.base, await bearer({ aud: 'elsewhere' }))).toMatchObject({
      status: 401,
    })
  },
)
