import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  claimCredential,
  insertCredential,
  revokeCredential,
} from '../../../activities/store/agents/agent-credentials.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { newAgent, registeredAgent } from '../../support/agent-rows.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { sendMessage } from '../../support/mcp.ts'
import { verifies } from '../../verifies.ts'

// An issuer whose tokens an agent presents over MCP, and a service that takes them.
const ISSUER = 'https://issuer.example'
const { agentId } = newAgent()
const folder = mkdtempSync(join(tmpdir(), 'oauth-'))
const subjects = join(folder, 'subjects.json')
const newKey = async (kid: string) => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
}
let keys: Awaited<ReturnType<typeof newKey>>[] = []
let reads = 0
const server = createServer((_request, response) => {
  reads += 1
  response
    .setHeader('content-type', 'application/json')
    .end(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
})
let apis: ComposedApis
let resource = ''
const credentialId = 'a'.repeat(16)
beforeAll(async () => {
  keys = [await newKey('first')]
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(subjects, JSON.stringify({ ada: agentId, eve: `agt_${'e'.repeat(64)}` }))
  apis = await startComposed({
    env: {
      MCP_OAUTH_ISSUER: ISSUER,
      MCP_OAUTH_JWKS_URL: `${origin}/keys`,
      MCP_OAUTH_SUBJECTS_FILE: subjects,
      CALLBACK_ALLOW_HOSTS: origin,
      LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '1000',
    },
  })
  resource = `${apis.config.BASE_URL}/api/mcp`
  await registeredAgent(apis.db, { agentId, sandbox: true })
  await transaction(apis.db, async (tx) => {
    const scopes = ['runs:read', 'runs:write'] as const
    const issued = { version: 1, scopes: [...scopes], rails: ['packetops'], overlapSeconds: 60 }
    await insertCredential(tx, { credentialId, agentId, ...issued })
    const row = await tx
      .selectFrom('agent_credentials')
      .selectAll()
      .where('credential_id', '=', credentialId)
      .executeTakeFirstOrThrow()
    await claimCredential(tx, row, '0'.repeat(64))
  })
})
afterAll(async () => {
  await apis?.stop()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

const now = () => Math.floor(Date.now() / 1000)
const claims = (more: JWTPayload = {}) => ({
  iss: ISSUER,
  sub: 'ada',
  aud: resource,
  iat: now(),
  exp: now() + 300,
  ...more,
})
const token = (more: JWTPayload = {}, key = keys[0] as (typeof keys)[number], alg = 'ES256') =>
  new SignJWT(claims(more))
    .setProtectedHeader({ alg, kid: key.kid, typ: 'at+jwt' })
    .sign(key.privateKey)

const read = { name: 'get_run_status', arguments: { run_id: `run_${'0'.repeat(64)}` } }

/** Calls a tool that only an agent may call. */
async function call(presented: string | undefined, params: object = read) {
  const headers = presented === undefined ? {} : { Authorization: `Bearer ${presented}` }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const answer = await sendMessage(`${apis.hosts[0]?.base}/api/mcp`, message, headers)
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    text: await answer.text(),
  }
}

verifies('mcp.oauth', 'the metadata of the resource is at both places', async () => {
  for (const path of ['', '/api/mcp']) {
    const url = `${apis.hosts[0]?.base}/.well-known/oauth-protected-resource${path}`
    const answer = await fetch(url)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toMatchObject({
      resource,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: expect.arrayContaining(['runs:read', 'runs:write']),
    })
  }
})

verifies('mcp.oauth', 'a good token is its agent, within the scopes of both', async () => {
  const good = await call(await token())
  expect(good.status).toBe(200)
  expect(good.text).toContain('not_found')
  expect((await call(await token({ scope: 'runs:read' }))).text).toContain('not_found')
  expect((await call(await token({ scope: 'runs:write' }))).text).toContain('scope_denied')
  expect((await call(await token(), { name: 'list_rails', arguments: {} })).status).toBe(200)
})

verifies('mcp.oauth', 'a call without a token gets a 401 that names the metadata', async () => {
  const { status, challenge, text } = await call(undefined)
  expect(status).toBe(401)
  expect(challenge).toBe(
    `Bearer resource_metadata="${apis.config.BASE_URL}/.well-known/oauth-protected-resource/api/mcp"`,
  )
  expect(JSON.parse(text)).toMatchObject({ code: 'credential_required' })
  expect((await call(undefined, { name: 'list_rails', arguments: {} })).status).toBe(200)
})

verifies('mcp.oauth', 'every other token is a 401, and says nothing of the agent', async () => {
  const stranger = await newKey('first')
  const unsigned = new UnsecuredJWT(claims()).encode()
  const shared = await new SignJWT(claims())
    .setProtectedHeader({ alg: 'HS256', kid: 'first', typ: 'at+jwt' })
    .sign(new TextEncoder().encode(JSON.stringify(keys[0]?.jwk)))
  const wrong: Record<string, string> = {
    audience: await token({ aud: apis.config.BASE_URL }),
    issuer: await token({ iss: 'https://other.example' }),
    expired: await token({ exp: now() - 60 }),
    'not yet': await token({ nbf: now() + 60 }),
    'without an end': await token({ exp: undefined } as unknown as JWTPayload),
    'unknown subject': await token({ sub: 'mallory' }),
    'inherited subject': await token({ sub: '__proto__' }),
    'subject without an agent': await token({ sub: 'eve' }),
    'key of another': await token({}, stranger),
    unsigned,
    'shared secret': shared,
    'no token': 'eyJ.x.y',
  }
  for (const [what, presented] of Object.entries(wrong)) {
    const { status, challenge, text } = await call(presented)
    expect(status, what).toBe(401)
    expect(challenge, what).toContain('error="invalid_token"')
    expect(JSON.parse(text), what).toMatchObject({ code: 'credential_invalid' })
    expect(text, what).not.toContain(agentId)
  }
})

verifies('mcp.oauth', 'a token is good over MCP alone', async () => {
  const answer = await fetch(`${apis.hosts[0]?.base}/api/agent-use`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await token()}` },
    body: JSON.stringify({ mode: 'get_run_status', ...read.arguments }),
  })
  expect(answer.status).toBe(401)
})

verifies('mcp.oauth', 'keys that rotate are read again, and not at each call', async () => {
  const next = await newKey('second')
  const before = reads
  for (let n = 0; n < 3; n += 1) await call(await token())
  expect(reads).toBe(before)
  keys = [next]
  await expect
    .poll(async () => (await call(await token({}, next))).status, {
      interval: 500,
    })
    .toBe(200)
  expect(reads).toBe(before + 1)
})

verifies('mcp.oauth', 'a token has no access once the key of its agent is revoked', async () => {
  const good = await token()
  expect((await call(good)).status).toBe(200)
  await transaction(apis.db, (tx) => revokeCredential(tx, credentialId))
  expect((await call(good)).status).toBe(401)
})
