import { generateKeyPairSync } from 'node:crypto'
import { compactDecrypt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { accessKeyDelivery } from '#domain/agents/onboarding.ts'
import { readCredentialFacts, recordNotice } from '../../../../activities/agents/access.ts'
import { deriveTokens } from '../../../../activities/keys/derived-tokens.ts'
import { loadTokenKeys } from '../../../../activities/keys/token-keys.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { type ClientOptions, createClient, ProblemError } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { decide, newAgentClient, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let hosts: { base: string; os: string }
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '10000' } })
  hosts = apis.hosts[0]!
})
afterAll(async () => {
  await apis?.stop()
})

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ProblemError))
    throw new Error(`a refusal was expected, not ${String(error)}`)
  return { status: error.problem.status, code: error.code }
}

/** Every row of every table, as text. */
async function everythingStored(): Promise<string> {
  const { rows } = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(apis.db)
  const texts = await Promise.all(
    rows.map(({ name }) =>
      sql<{
        all: string | null
      }>`select string_agg(t::text, ' ') as all from ${sql.table(name)} t`.execute(apis.db),
    ),
  )
  return texts.map(({ rows: [row] }) => row?.all ?? '').join('\n')
}

verifies(
  ['agent.onboarding.end-to-end', 'agent.steps.order'],
  'an agent registers and gets its access key step by step',
  async () => {
    const agent = newAgentClient(hosts)
    const done = async (token: string) =>
      (await agent.status(token)).steps.filter((step) => step.done).map(({ step }) => step)
    const read = ['submit_manifest', 'receive_trust_state', 'use_status_url']

    const registered = await agent.register()
    expect(registered).toMatchObject({
      trust_state: 'submitted',
      granted_scopes: [],
      denied_scopes: [],
      agent: {
        trust: { state: 'submitted', decision_id: null },
        rails: ['tokenops', 'financeops'],
        public_key: agent.publicKey,
      },
      receipt: { kind: 'onboarding', subject: registered.agent.agent_id },
    })
    expect(registered.status_url).toBe(
      `${apis.config.BASE_URL}/api/agents/status/${registered.status_token}`,
    )
    const used = ['submit_manifest', 'use_status_url']
    expect(await done(registered.status_token)).toEqual(used)
    expect((await agent.shake(registered.status_token, false)).body).toMatchObject({
      trust_state: 'submitted',
      gateway_state: 'not_ready',
      credential: null,
      credential_envelope: null,
    })
    expect(await done(registered.status_token)).toEqual(used)

    const decision = await decide(hosts, apis.operator, registered.agent.agent_id, 'approve', {
      limits: {
        scopes: ['runs:read', 'runs:write', 'wallets:write'],
        rails: ['tokenops'],
        max_usd: 500,
      },
      contact_notified: true,
      note: 'wrote to its address',
    })
    expect(decision.subject).toMatchObject({
      state: 'trusted',
      view: { trust: { limits: { max_usd: 500 } } },
    })
    expect(await done(registered.status_token)).toEqual([...read, ...accessKeyDelivery.slice(0, 5)])
    expect(await agent.status(registered.status_token)).toMatchObject({
      trust_state: 'trusted',
      credential: { state: 'pending', version: 1, claimable: true },
    })

    const { body: claimed } = await agent.shake(registered.status_token, true)
    // What was asked for, as far as the decision allows it.
    expect(claimed).toMatchObject({
      gateway_state: 'gateway_ready',
      credential: {
        version: 1,
        scopes: ['runs:read', 'runs:write'],
        rails: ['tokenops'],
        state: 'active',
      },
      credential_envelope: {
        sealed: false,
        credential: expect.stringMatching(/^ag_[0-9a-f]{16}_[0-9a-f]{64}$/),
      },
    })
    expect(await done(registered.status_token)).toEqual([...read, ...accessKeyDelivery])
    const times = await apis.db
      .selectFrom('credential_deliveries')
      .select(['step', 'at', 'actor'])
      .where('credential_id', '=', claimed.credential!.credential_id)
      .orderBy('at')
      .execute()
    expect(times.map(({ step }) => step)).toEqual(accessKeyDelivery)
    expect(times.map(({ actor }) => actor)).toEqual([
      ...Array(4).fill('Ada'),
      ...Array(2).fill(registered.agent.agent_id),
    ])
  },
)

verifies(
  'agent.delivery.effects',
  'a claimed key is delivered, and a later notice changes nothing',
  async () => {
    const callback_url = 'https://agent.example/hooks/late'
    const { agent, registered, credentialId } = await trustedAgent(hosts, apis.operator, {
      contact: { email: 'late@agent.example', callback_url },
    })
    const delivered = async () =>
      (await agent.status(registered.status_token)).steps
        .filter(({ step, done }) => done && accessKeyDelivery.some((one) => one === step))
        .map(({ step }) => step)
    expect(await delivered()).toEqual(accessKeyDelivery)
    expect((await agent.shake(registered.status_token, false)).body.gateway_state).toBe(
      'gateway_ready',
    )
    await transaction(apis.db, (tx) => recordNotice(tx, credentialId, 'callback'))
    expect(await delivered()).toEqual(accessKeyDelivery)
    const candidate = await newAgentClient(hosts).register()
    expect(
      await refusalOf(
        decide(hosts, apis.operator, candidate.agent.agent_id, 'reject', {
          contact_notified: true,
        }),
      ),
    ).toEqual({ status: 400, code: 'invalid_request' })
  },
)

verifies(
  'agent.delivery.effects',
  'the operator’s notice, at once or later, or the claim delivers',
  async () => {
    const agent = newAgentClient(hosts)
    const { status_token, agent: known } = await agent.register()
    const decided = (decision: 'approve' | 'hold', more: { contact_notified?: true } = {}) =>
      decide(hosts, apis.operator, known.agent_id, decision, more)
    const taken = async () => {
      const { steps } = await agent.status(status_token)
      return steps.flatMap(({ step, done }) =>
        done && accessKeyDelivery.some((one) => one === step) ? step : [],
      )
    }
    await decided('approve')
    expect(await taken()).toEqual(accessKeyDelivery.slice(0, 3))
    await decided('hold')
    await decided('approve', { contact_notified: true })
    expect(await taken()).toEqual(accessKeyDelivery.slice(0, 5))
    await agent.shake(status_token, true)
    expect(await taken()).toEqual(accessKeyDelivery)
    const sandbox = await trustedAgent(hosts, apis.operator, { sandbox: true })
    const { steps } = await sandbox.agent.status(sandbox.registered.status_token)
    const open = steps.flatMap(({ step, done }) => (done ? [] : step))
    for (const step of accessKeyDelivery) expect(open).not.toContain(step)
  },
)

verifies(
  'agent.delivery.notice',
  'a callback URL hears once that its key is ready, and never the key',
  async () => {
    const callback_url = 'https://agent.example/hooks/keys'
    const { registered, credential, credentialId } = await trustedAgent(hosts, apis.operator, {
      contact: { callback_url },
    })
    const { agent_id } = registered.agent
    expect(registered.agent.callback_url).toBe(callback_url)
    const notices = await apis.db
      .selectFrom('callback_deliveries')
      .select(['event', 'url', 'state', 'subject'])
      .where('owner', '=', agent_id)
      .execute()
    expect(notices).toEqual([
      { event: 'credential_ready', url: callback_url, state: 'pending', subject: credentialId },
    ])
    const facts = await readCredentialFacts(apis.db, credentialId)
    expect(facts).toEqual({ agent_id, credential_id: credentialId, state: 'active', sequence: 6 })
    expect(JSON.stringify(facts)).not.toContain(credential.split('_')[2])
  },
)

verifies(
  ['caller.registration-signed', 'caller.secret'],
  'only the key or secret of a registration gets its first answer',
  async () => {
    const agent = newAgentClient(hosts)
    const manifest = agent.manifest()
    const as = (more: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: hosts.base, origin: apis.config.BASE_URL, ...more }).call(
        'agent-register',
        manifest,
      )
    const first = await as({ idempotencySecret: 's'.repeat(40) })
    for (const stranger of [{}, { idempotencySecret: 't'.repeat(40) }])
      expect(await refusalOf(as(stranger))).toEqual({ status: 409, code: 'key_already_registered' })
    for (const owner of [{ idempotencySecret: 's'.repeat(40) }, { signAsAgent: agent.signText }]) {
      const again = await as(owner)
      expect(again.body).toEqual(first.body)
      expect(again.replayed).toBe(true)
    }
    const forger = newAgentClient(hosts)
    expect(await refusalOf(as({ signAsAgent: forger.signText }))).toEqual({
      status: 401,
      code: 'proof_invalid',
    })
    const secret = { idempotencySecret: 's'.repeat(40), signAsAgent: forger.signText }
    expect(await refusalOf(as(secret))).toEqual({ status: 401, code: 'proof_invalid' })
  },
)

verifies(
  'agent.register.key-taken-back',
  'a key that a stranger registered goes to who signs with it',
  async () => {
    const openAgent = () => {
      const keys = newAgentClient(hosts)
      const { base: baseUrl } = hosts
      const origin = apis.config.BASE_URL
      const mine = createClient({ baseUrl, origin, signAsAgent: keys.signText })
      return {
        keys,
        register: (name: string, sandbox = false) =>
          mine.call('agent-register', keys.manifest({ name, sandbox })),
      }
    }
    for (const sandbox of [true, false]) {
      const { keys, register } = openAgent()
      const stranger = await keys.register({ name: 'Stranger', sandbox })
      const { body } = await register('Owner', sandbox)
      expect(body.agent).toMatchObject({ name: 'Owner', public_key: keys.publicKey })
      expect(body.agent.agent_id).not.toBe(stranger.agent.agent_id)
      // The stranger's agent has no key any more, and the owner's keeps it.
      expect(await refusalOf(keys.shake(stranger.status_token, false))).toMatchObject({
        status: 401,
      })
      expect((await keys.shake(body.status_token, sandbox)).status).toBe(200)
      expect((await agentOf(stranger.agent.agent_id)).name).toBe('Stranger')
      for (const again of [() => register('Again'), () => keys.register()])
        expect(await refusalOf(again())).toMatchObject({ code: 'key_already_registered' })
    }
    const { keys, register } = openAgent()
    await keys.shake((await keys.register()).status_token, false)
    expect(await refusalOf(register('Other'))).toMatchObject({
      code: 'key_already_registered',
    })
  },
)
const agentOf = (agent_id: string) =>
  apis.db
    .selectFrom('agents')
    .select('name')
    .where('agent_id', '=', agent_id)
    .executeTakeFirstOrThrow()

verifies(
  'review.agent.account',
  'the review of an agent shows the account and country it stated',
  async () => {
    const console = createClient({ baseUrl: hosts.base, operator: apis.operator })
    const accountOf = async (account: { name: string; country?: string }) => {
      const { agent } = await newAgentClient(hosts).register({ account })
      const { body } = await console.call('loop-review-console', { subject_id: agent.agent_id })
      const part = body.evidence?.parts.find(({ name }) => name === 'agent')
      return (part?.content as { account?: unknown } | undefined)?.account
    }
    const name = '<b>Nordwind</b> AS'
    expect(await accountOf({ name, country: 'NO' })).toEqual({ name, country: 'NO' })
    expect(await accountOf({ name })).toEqual({ name, country: null })
  },
)

verifies(
  'agent.register.idempotent',
  'a repeat gets the same agent; other terms or a used key are refused',
  async () => {
    const agent = newAgentClient(hosts)
    const manifest = agent.manifest()
    const client = createClient({
      baseUrl: hosts.base,
      origin: apis.config.BASE_URL,
      signAsAgent: agent.signText,
    })
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.call('agent-register', manifest)),
    )
    const [first] = answers
    expect(first?.status).toBe(201)
    for (const { body } of answers) expect(body).toEqual(first?.body)
    expect((await client.call('agent-register', manifest)).replayed).toBe(true)
    expect(await refusalOf(client.call('agent-register', { ...manifest, name: 'Other' }))).toEqual({
      status: 422,
      code: 'idempotency_conflict',
    })
    expect(
      await refusalOf(client.call('agent-register', { ...manifest, idempotency_key: 'another' })),
    ).toEqual({
      status: 409,
      code: 'key_already_registered',
    })
    // A base64url text that means the same bytes is not another key.
    const x = manifest.public_key.x
    const twin = `${x.slice(0, -1)}${String.fromCharCode(x.charCodeAt(42) + 1)}`
    expect(
      (
        await refusalOf(
          client.call('agent-register', {
            ...manifest,
            public_key: { ...manifest.public_key, x: twin },
          }),
        )
      ).status,
    ).toBe(400)
  },
)

verifies(
  'agent.sandbox',
  'a sandbox agent gets its key at once, without scopes for money',
  async () => {
    const { registered, credential } = await trustedAgent(hosts, apis.operator, {
      sandbox: true,
      requested_scopes: ['runs:write', 'wallets:write'],
    })
    expect(registered.trust_state).toBe('sandbox_trusted')
    expect(registered.granted_scopes).toEqual(['runs:write'])
    expect(registered.denied_scopes).toEqual([
      { scope: 'wallets:write', reason: expect.stringContaining('runs:read, runs:write') },
    ])
    const { body } = await createClient({ baseUrl: hosts.base, agent: credential }).call(
      'credential-enforce',
      {
        operation_id: 'agent-status',
      },
    )
    expect(body.credential).toMatchObject({ scopes: ['runs:write'], state: 'active' })
    expect(
      await refusalOf(decide(hosts, apis.operator, registered.agent.agent_id, 'approve')),
    ).toEqual({
      status: 409,
      code: 'wrong_state',
    })
  },
)

verifies(
  'agent.envelope',
  'with an encryption key only its holder opens the access key',
  async () => {
    const { privateKey, publicKey } = generateKeyPairSync('x25519')
    const { kty, crv, x } = publicKey.export({ format: 'jwk' })
    const agent = newAgentClient(hosts)
    const encryption_key = { kty, crv, x } as { kty: 'OKP'; crv: 'X25519'; x: string }
    const registered = await agent.register({ encryption_key, sandbox: true })
    const { body } = await agent.shake(registered.status_token, true)
    if (body.credential_envelope?.sealed !== true) throw new Error('it was not sealed')
    const opened = await compactDecrypt(body.credential_envelope.jwe, privateKey)
    expect(opened.protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM' })
    const { credential, credential_id } = JSON.parse(
      new TextDecoder().decode(opened.plaintext),
    ) as Record<string, string>
    expect(credential_id).toBe(body.credential?.credential_id)
    const used = await createClient({ baseUrl: hosts.base, agent: credential! }).call(
      'credential-enforce',
      {
        operation_id: 'agent-status',
      },
    )
    expect(used.body.credential?.credential_id).toBe(credential_id)
    // A point of small order gives a shared secret that everybody knows.
    const weak = newAgentClient(hosts).register({
      encryption_key: { ...encryption_key, x: 'A'.repeat(43) },
    })
    expect(await refusalOf(weak)).toEqual({ status: 400, code: 'invalid_request' })
  },
)

verifies(
  ['agent.envelope', 'agent.handshake.proof'],
  'the claim gives the key once, and the same to its repeats',
  async () => {
    const agent = newAgentClient(hosts)
    const { status_token } = await agent.register({ sandbox: true })
    const nonce = await agent.freshNonce()
    const claims = await Promise.all(
      Array.from({ length: 5 }, () => agent.shake(status_token, true, nonce)),
    )
    expect(new Set(claims.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(claims.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(await refusalOf(agent.shake(status_token, true))).toEqual({
      status: 409,
      code: 'already_claimed',
    })
    expect((await agent.shake(status_token, false)).body).toMatchObject({
      gateway_state: 'gateway_ready',
      credential_envelope: null,
    })
  },
)

verifies(
  'agent.handshake.proof',
  'a wrong nonce, key or token is refused, also on a repeat',
  async () => {
    const agent = newAgentClient(hosts)
    const stranger = newAgentClient(hosts)
    const { status_token } = await agent.register({ sandbox: true })
    const nonce = await agent.freshNonce()
    const send = (change: Partial<{ nonce: string; signature: string; token: string }>) =>
      createClient({
        baseUrl: hosts.base,
        osUrl: hosts.os,
        statusToken: change.token ?? status_token,
      }).call('handshake', {
        nonce: change.nonce ?? nonce,
        signature: change.signature ?? agent.signed(change.nonce ?? nonce, status_token),
        protocol_version: '1',
        claim_credential: true,
      })
    const unproven = { status: 401, code: 'proof_invalid' }
    const forged = nonce.replace(/_[0-9a-f]{64}$/, `_${'0'.repeat(64)}`)
    const longer = nonce.replace(/^hs_[0-9]{10}/, 'hs_4000000000')
    const tokens = deriveTokens(loadTokenKeys(apis.config.TOKEN_KEYS_FILE), async () => undefined)
    const stale = tokens.nonce(Math.floor(Date.now() / 1000) - 400)
    expect(await refusalOf(send({ signature: stranger.signed(nonce, status_token) }))).toEqual(
      unproven,
    )
    expect(await refusalOf(send({ signature: agent.signed(nonce, 'another token') }))).toEqual(
      unproven,
    )
    for (const other of [forged, longer, stale])
      expect(await refusalOf(send({ nonce: other })), other).toEqual(unproven)
    const others = await stranger.register()
    expect(await refusalOf(send({ token: others.status_token }))).toEqual(unproven)
    expect(
      await refusalOf(
        createClient({
          baseUrl: hosts.base,
          osUrl: hosts.os,
          statusToken: others.status_token,
        }).call('handshake', {
          nonce,
          signature: stranger.signed(nonce, others.status_token),
          protocol_version: '1',
          claim_credential: true,
        }),
      ),
    ).toEqual({ status: 403, code: 'trust_required' })
    expect((await send({})).status).toBe(200)
    // Who has the token and saw the nonce is still asked for the signature.
    expect(await refusalOf(send({ signature: stranger.signed(nonce, status_token) }))).toEqual(
      unproven,
    )
    expect((await send({})).replayed).toBe(true)
  },
)

verifies(
  'agent.status-token.unknown',
  'a foreign, misplaced or malformed status token is the same 404',
  async () => {
    const { status_token } = await newAgentClient(hosts).register()
    const flipped = status_token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const problems = await Promise.all(
      [flipped, status_token.replace('st_', 'tk_'), 'st_short', `${status_token}x`].map(
        async (token) => {
          const response = await fetch(`${hosts.base}/api/agents/status/${token}`, {
            headers: {
              'X-Request-Id': 'same-for-all',
              traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00`,
            },
          })
          return { status: response.status, body: await response.text() }
        },
      ),
    )
    expect(new Set(problems.map((problem) => JSON.stringify(problem))).size).toBe(1)
    expect(problems[0]?.status).toBe(404)
    const bare = await fetch(`${hosts.os}/api/agents/handshake`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        nonce: `hs_1800000000_${'0'.repeat(32)}_${'0'.repeat(64)}`,
        signature: 'A'.repeat(86),
        protocol_version: '1',
      }),
    })
    expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([
      401,
      'ServiceStatusToken error="credential_required"',
    ])
  },
)

verifies(
  'agent.secrets.not-stored',
  'no token, key or refused secret stands in any table or in any log line',
  async () => {
    const { registered, credential, agent } = await trustedAgent(hosts, apis.operator)
    await agent.status(registered.status_token)
    await fetch(`${hosts.base}/api/agents/status/${registered.status_token}?x=1`)
    const phrase =
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
    const refused = newAgentClient(hosts)
    expect(await refusalOf(refused.register({ capabilities: ['reads ledgers', phrase] }))).toEqual({
      status: 422,
      code: 'forbidden_material',
    })
    expect(
      await refusalOf(
        refused.register({ contact: { callback_url: 'https://me:hunter2@agent.example/hook' } }),
      ),
    ).toEqual({ status: 422, code: 'forbidden_material' })
    const secretJwk = { ...refused.publicKey, d: 'SECRETSECRETSECRETSECRETSECRETSECRETSECRETS' }
    expect((await refusalOf(refused.register({ public_key: secretJwk }))).status).toBe(400)
    expect(
      await refusalOf(
        decide(hosts, apis.operator, registered.agent.agent_id, 'hold', { note: credential }),
      ),
    ).toEqual({ status: 422, code: 'forbidden_material' })
    const secret = credential.split('_')[2]!
    const everything = `${await everythingStored()}\n${apis.logged()}`
    expect(everything).toContain(registered.agent.agent_id)
    for (const hidden of [
      registered.status_token,
      registered.status_token.slice(3),
      secret,
      phrase,
      'hunter2',
      secretJwk.d,
    ])
      expect(everything.includes(hidden), hidden).toBe(false)
  },
)

verifies('pipeline.hosts', 'the routes of one host are 404 on the other', async () => {
  const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status
  expect(await status(`${hosts.os}/api/agents/handshake`)).toBe(200)
  expect(await status(`${hosts.base}/api/agents/handshake`)).toBe(404)
  expect(await status(`${hosts.base}/api/agents/register`)).toBe(200)
  expect(await status(`${hosts.os}/api/agents/register`)).toBe(404)
  const { status_token } = await newAgentClient(hosts).register()
  expect(await status(`${hosts.base}/api/agents/status/${status_token}`)).toBe(200)
  expect(await status(`${hosts.os}/api/agents/status/${status_token}`)).toBe(404)
  expect([await status(`${hosts.base}/healthz`), await status(`${hosts.os}/healthz`)]).toEqual([
    200, 200,
  ])
})
