import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { credentialText } from '#domain/agents/credential.ts'
import { agentSignatureText, encodeAgentSignature } from '#domain/agents/signature.ts'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { bodySha256 } from '#domain/payouts/wallet-proof.ts'
import { receiptSigner } from '../../../../activities/container.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient } from '../../../../api/http/client.ts'
import { type AnyOperation, operation } from '../../../../api/operation.ts'
import { revokeWithReceipt, rotateCredential } from '../../../../api/services/agents/credentials.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { decide, newAgentClient, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

const plain = {
  summary: 'Answers who calls.',
  price: null,
  charge: 'after' as const,
  status: [200] as const,
  errors: [],
}
const whoAmI = operation({
  ...plain,
  id: 'who-am-i',
  http: { method: 'GET', path: '/test/who', host: 'both' },
  access: ['public', 'agent'],
  needs: { scopes: ['runs:read'], rail: ({ rail }) => rail },
  idempotency: { kind: 'read' },
  input: z.strictObject({ rail: z.string().optional() }),
  output: z.strictObject({ caller: z.string() }),
  handle: async (_input, { caller }) => ({ body: { caller: caller.id } }),
})
const act = operation({
  ...plain,
  id: 'act',
  http: { method: 'POST', path: '/test/things/{token}/{thing_id}', host: 'os' },
  access: ['status', 'agent'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st'], signed: true },
  idempotency: { kind: 'body', key: ({ idempotency_key }) => idempotency_key },
  input: z.strictObject({ thing_id: z.string(), idempotency_key: z.string() }),
  output: z.strictObject({ caller: z.string(), thing_id: z.string() }),
  handle: async ({ thing_id }, { caller }) => ({ body: { caller: caller.id, thing_id } }),
})

const perMinute = 8
let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({
    apis: 2,
    env: {
      TRUST_PROXY: '1',
      LIMIT_FAILED_CREDENTIALS_PER_MINUTE: String(perMinute),
      LIMIT_AGENT_PER_MINUTE: '60',
    },
    more: [whoAmI, act] as AnyOperation[],
  })
})
afterAll(async () => {
  await apis?.stop()
})

let addresses = 0
const newAddress = () => `10.1.${Math.floor(addresses / 250)}.${(addresses++ % 250) + 1}`
type Asked = { api?: number; host?: 'base' | 'os'; from?: string; query?: string }

async function who(
  credential: string | undefined,
  { api = 0, host = 'base', from = newAddress(), query = '' }: Asked = {},
) {
  const started = performance.now()
  const response = await fetch(`${apis.hosts[api]![host]}/test/who${query}`, {
    headers: {
      'X-Forwarded-For': from,
      ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
    },
  })
  const body = (await response.json()) as { code?: string; caller?: string }
  return {
    status: response.status,
    code: body.code,
    caller: body.caller,
    headers: response.headers,
    ms: performance.now() - started,
  }
}
const newTrusted = () => trustedAgent(apis.hosts[0]!, apis.operator)
const wrongSecretOf = (credentialId: string) =>
  credentialText(credentialId, randomBytes(32).toString('hex'))

verifies(
  'agent.access',
  'a credential opens its scopes and rails; a wrong one is refused',
  async () => {
    const { credential, credentialId, registered } = await newTrusted()
    const caller = `agent:${registered.agent.agent_id}`
    expect(await who(credential)).toMatchObject({ status: 200, caller })
    expect(await who(credential, { host: 'os', query: '?rail=tokenops' })).toMatchObject({
      status: 200,
      caller,
    })
    expect(await who(credential, { query: '?rail=packetops' })).toMatchObject({
      status: 403,
      code: 'rail_not_allowed',
    })
    // An operator's credential is no credential here.
    for (const none of [undefined, apis.operator])
      expect((await who(none)).caller).toMatch(/^once:/)
    for (const wrong of [
      wrongSecretOf(credentialId),
      wrongSecretOf('0'.repeat(16)),
      credential.slice(0, -1),
      `${credential}0`,
    ])
      expect(await who(wrong), wrong).toMatchObject({ status: 401, code: 'credential_invalid' })
    const reader = await trustedAgent(apis.hosts[0]!, apis.operator, {
      requested_scopes: ['wallets:read'],
    })
    expect(await who(reader.credential)).toMatchObject({ status: 403, code: 'scope_denied' })
  },
)

verifies(
  'agent.access',
  'each credential has its own calls per minute, over all processes',
  async () => {
    const [one, other] = [await newTrusted(), await newTrusted()]
    const answers = []
    for (let turn = 0; turn < 5; turn += 1)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 16 }, (_, index) => who(one.credential, { api: index % 2 })),
        )),
      )
    const passed = answers.filter(({ status }) => status === 200).length
    // A process takes its share in portions, and may leave the rest of one unspent.
    expect([passed <= 60, passed > 50]).toEqual([true, true])
    const refused = answers.filter(({ status }) => status !== 200)
    for (const { status, headers } of refused)
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await who(other.credential)).toMatchObject({ status: 200 })
  },
)

const issuing = () => ({
  issuer: `${apis.config.BASE_URL}/api/trust-contract`,
  environment: 'local',
  signReceipt: receiptSigner(loadKeyRings(apis.config.SIGNING_KEYS_FILE)),
})
const ada = { operatorId: 'ada', name: 'Ada' }

verifies(
  'agent.revoked-at-once',
  'a revoked credential or suspended agent stops with the next call',
  async () => {
    const { credential, credentialId, registered } = await newTrusted()
    const everywhere = () =>
      Promise.all(
        [0, 1].flatMap((api) =>
          (['base', 'os'] as const).map(
            async (host) => (await who(credential, { api, host })).code ?? 'ok',
          ),
        ),
      )
    expect(await everywhere()).toEqual(Array(4).fill('ok'))
    await decide(apis.hosts[1]!, apis.operator, registered.agent.agent_id, 'hold')
    expect(await everywhere()).toEqual(Array(4).fill('trust_required'))
    await decide(apis.hosts[0]!, apis.operator, registered.agent.agent_id, 'approve')
    expect(await everywhere()).toEqual(Array(4).fill('ok'))
    const revoked = await transaction(apis.db, (tx) =>
      revokeWithReceipt(issuing(), tx, { by: ada, credentialId, reason: 'leaked' }),
    )
    expect(await everywhere()).toEqual(Array(4).fill('credential_invalid'))
    expect(revoked).toMatchObject({
      credential: { state: 'revoked' },
      receipt: {
        kind: 'key_event',
        payload: { act: 'revoke', reason: 'leaked', operator_name: 'Ada' },
      },
    })
    const again = transaction(apis.db, (tx) =>
      revokeWithReceipt(issuing(), tx, { by: ada, credentialId, reason: 'again' }),
    )
    await expect(again).rejects.toThrow('wrong_state')
  },
)

verifies(
  'agent.credential.rotated',
  'the old key works until the new one is claimed, plus the overlap',
  async () => {
    const { agent, registered, credential } = await newTrusted()
    const agentId = registered.agent.agent_id
    const rotate = (overlapSeconds: number) =>
      transaction(apis.db, (tx) =>
        rotateCredential(issuing(), tx, { by: ada, agentId, overlapSeconds, reason: 'spring' }),
      )
    expect(await rotate(600)).toMatchObject({
      credential: { version: 2, state: 'pending' },
      receipt: { kind: 'key_event' },
    })
    await expect(rotate(600)).rejects.toThrow('rotation_in_progress')
    expect(await who(credential)).toMatchObject({ status: 200 })
    const { body } = await agent.shake(registered.status_token, true)
    const envelope = body.credential_envelope
    const next = envelope?.sealed === false ? envelope.credential : ''
    expect([(await who(credential)).status, (await who(next)).status]).toEqual([200, 200])
    await rotate(0)
    await agent.shake(registered.status_token, true)
    expect(await who(next)).toMatchObject({ status: 401, code: 'credential_invalid' })
    // The first one still has its ten minutes.
    expect(await who(credential)).toMatchObject({ status: 200 })
  },
)

verifies(
  'agent.attempts.slowed',
  'guesses get a late 429 on every process; the right key passes at once',
  async () => {
    const { credential, credentialId } = await newTrusted()
    const from = newAddress()
    for (let attempt = 0; attempt < perMinute; attempt++)
      expect(await who(wrongSecretOf(credentialId), { from, api: attempt % 2 })).toMatchObject({
        status: 401,
      })
    for (const guess of [
      { from, api: 0 },
      { from, api: 1 },
      { from: newAddress(), api: 0 },
    ]) {
      const refused = await who(wrongSecretOf(credentialId), guess)
      expect(refused).toMatchObject({ status: 429, code: 'rate_limited' })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.ms).toBeGreaterThan(950)
    }
    const right = await Promise.all([0, 1].map((api) => who(credential, { from, api })))
    for (const { status, ms } of right) expect([status, ms < 900]).toEqual([200, true])
    expect(await who(undefined, { from })).toMatchObject({ status: 200 })
    expect(await who(apis.operator, { from })).toMatchObject({ status: 200 })
    const console = await fetch(`${apis.hosts[0]!.base}/api/loop-review-console`, {
      headers: { 'X-Forwarded-For': from, Authorization: `Bearer ${apis.operator}` },
    })
    expect(console.status).toBe(200)
  },
)

verifies(
  'agent.attempts.slowed',
  'unknown status tokens and wrong operator credentials count as well',
  async () => {
    const [tokens, operators] = [newAddress(), newAddress()]
    const status = async (from: string) =>
      (
        await fetch(
          `${apis.hosts[0]!.base}/api/agents/status/st_${randomBytes(32).toString('base64url')}`,
          {
            headers: { 'X-Forwarded-For': from },
          },
        )
      ).status
    const console = async (from: string) =>
      (
        await fetch(`${apis.hosts[1]!.base}/api/loop-review-console`, {
          headers: {
            'X-Forwarded-For': from,
            Authorization: `Bearer op_${'0'.repeat(16)}_${'0'.repeat(64)}`,
          },
        })
      ).status
    for (let attempt = 0; attempt < perMinute; attempt++)
      expect([await status(tokens), await console(operators)]).toEqual([404, 401])
    expect([await status(tokens), await console(operators)]).toEqual([429, 429])
  },
)

verifies(
  'agent.signature.required',
  'a status token needs a fresh signature of the call, a credential none',
  async () => {
    const { agent, registered, credential } = await newTrusted()
    const { status_token } = registered
    const path = `/test/things/${status_token}/t-1`
    const body = { idempotency_key: 'k-1' }
    const now = () => Math.floor(Date.now() / 1000)
    const header = (
      change: Partial<Parameters<typeof agentSignatureText>[0]> = {},
      signer = agent,
    ) => {
      const terms = {
        origin: apis.config.OS_URL,
        method: 'POST',
        path,
        bodySha256: bodySha256(body),
        tokenSha256: sha256Hex(status_token),
        issuedAt: now(),
        ...change,
      }
      return encodeAgentSignature(terms.issuedAt, signer.signText(agentSignatureText(terms)))
    }
    const send = async (headers: Record<string, string>, more: object = {}) => {
      const response = await fetch(`${apis.hosts[0]!.os}${path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': newAddress(),
          ...headers,
        },
        body: JSON.stringify({ ...body, ...more }),
      })
      return {
        status: response.status,
        ...((await response.json()) as { code?: string; thing_id?: string; caller?: string }),
      }
    }
    const bad: Record<string, string>[] = [
      {},
      { 'X-Agent-Signature': 'nonsense' },
      { 'X-Agent-Signature': header({ path: '/test/things/x/t-2' }) },
      { 'X-Agent-Signature': header({ origin: apis.config.BASE_URL }) },
      { 'X-Agent-Signature': header({ bodySha256: bodySha256({ idempotency_key: 'k-2' }) }) },
      { 'X-Agent-Signature': header({ tokenSha256: sha256Hex(`st_${'A'.repeat(43)}`) }) },
      { 'X-Agent-Signature': header({ tokenSha256: undefined }) },
      { 'X-Agent-Signature': header({ issuedAt: now() - 301 }) },
      { 'X-Agent-Signature': header({ issuedAt: now() + 60 }) },
      { 'X-Agent-Signature': header({}, newAgentClient(apis.hosts[0]!)) },
    ]
    for (const headers of bad)
      expect(await send(headers), JSON.stringify(headers)).toMatchObject({
        status: 401,
        code: 'proof_invalid',
      })
    const caller = `agent:${registered.agent.agent_id}`
    expect(await send({ 'X-Agent-Signature': header() })).toEqual({
      status: 200,
      caller,
      thing_id: 't-1',
    })
    expect(await send({ Authorization: `Bearer ${credential}` })).toEqual({
      status: 200,
      caller,
      thing_id: 't-1',
    })
    expect(
      await send({ Authorization: `Bearer ${credential}` }, { thing_id: 't-2' }),
    ).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
    const kept = await apis.db
      .selectFrom('calls')
      .select('path')
      .where('operation', '=', 'act')
      .execute()
    expect(kept).toEqual([{ path: '/test/things/{token}/{thing_id}' }])
  },
)

verifies(
  'agent.enforce',
  'enforcement decides as the surfaces do, with reasons and an audit',
  async () => {
    const { credential, registered, credentialId } = await trustedAgent(
      apis.hosts[0]!,
      apis.operator,
      {
        rails: ['tokenops'],
      },
    )
    const from = newAddress()
    const ask = async (agent: string | undefined, input: Record<string, unknown>) => {
      const client = createClient({
        baseUrl: apis.hosts[0]!.base,
        ...(agent === undefined ? {} : { agent }),
        fetch: (url, init) =>
          fetch(url, {
            ...init,
            headers: { ...(init.headers as Record<string, string>), 'X-Forwarded-For': from },
          }),
      })
      return (await client.call('credential-enforce', input as { operation_id: string })).body
    }
    const codes = async (agent: string | undefined, input: Record<string, unknown>) => {
      const { decision, reasons } = await ask(agent, input)
      expect(decision).toBe(reasons.length === 0 ? 'allow' : 'deny')
      return reasons.map(({ code }) => code)
    }
    expect(await codes(undefined, { operation_id: 'agent-register' })).toEqual([])
    expect(await codes(credential, { operation_id: 'loop-review-record' })).toEqual([
      'scope_denied',
    ])
    expect(await codes(wrongSecretOf(credentialId), { operation_id: 'agent-status' })).toEqual([
      'scope_denied',
    ])
    await expect(ask(credential, { operation_id: 'nothing-here' })).rejects.toThrow('not_found')
    const checked = await ask(credential, {
      operation_id: 'agent-register',
      idempotency_key: 'once',
    })
    expect(checked.credential).toMatchObject({
      credential_id: credentialId,
      version: 1,
      state: 'active',
    })
    expect(
      await ask(credential, { operation_id: 'agent-register', idempotency_key: 'once' }),
    ).toEqual(checked)
    const audit = await apis.db
      .selectFrom('credential_audits')
      .selectAll()
      .where('audit_event_id', '=', checked.audit_event_id)
      .execute()
    expect(audit).toMatchObject([
      { operation_id: 'agent-register', credential_id: credentialId, decision: 'allow' },
    ])
    expect(registered.agent.rails).toEqual(['tokenops'])
  },
)
