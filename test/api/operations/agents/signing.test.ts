import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, type InputOf, ProblemError } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { decide, newAgentClient, trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2, env: { LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '10000' } })
})
afterAll(async () => {
  await apis?.stop()
})

const hosts = (api = 0) => apis.hosts[api]!
const client = (api: number, more: object = {}) =>
  createClient({ baseUrl: hosts(api).base, osUrl: hosts(api).os, ...more })
const trusted = () => trustedAgent(hosts(), apis.operator)
type Trusted = Awaited<ReturnType<typeof trusted>>
let keys = 0
const fresh = () => `k-${keys++}`

/** A key pair of an agent, as RFC 7515 and RFC 8785 have it and nothing of ours. */
function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { kty, crv, x } = publicKey.export({ format: 'jwk' }) as {
    kty: 'OKP'
    crv: 'Ed25519'
    x: string
  }
  const jwk = { kty, crv, x }
  return {
    publicKey,
    privateKey,
    jwk,
    sha256: digest(`{"crv":"${crv}","kty":"${kty}","x":"${x}"}`),
  }
}
type Key = ReturnType<typeof newKey>
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const b64u = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const rotationText = (agentId: string, old: string, next: string) =>
  `service-agent-key-rotation-v1\nagent-id: ${agentId}\nold-key-sha256: ${old}\nnext-key-sha256: ${next}`

/** A statement by the agent's own key. */
function stated(key: KeyObject, kid: string, claims: object, typ = 'agent-statement+jws'): string {
  const input = `${b64u({ alg: 'EdDSA', kid, typ })}.${b64u(claims)}`
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`
}

const verified = async (input: Omit<InputOf<'signing-verify'>, 'mode'>, api = 1) =>
  (await client(api).call('signing-verify', { mode: 'verify_signature_by_version', ...input })).body

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error) => (error instanceof ProblemError ? error.code : String(error)),
  )

/** An agent's next key, signed by both. */
function nextKey({ agent, registered }: Pick<Trusted, 'agent' | 'registered'>, next: Key) {
  const old = digest(`{"crv":"Ed25519","kty":"OKP","x":"${agent.publicKey.x}"}`)
  const text = rotationText(registered.agent.agent_id, old, next.sha256)
  const signed_by_next = sign(null, Buffer.from(text), next.privateKey).toString('base64url')
  return { public_key: next.jwk, signed_by_old: agent.signText(text), signed_by_next }
}

const rotation = (
  subject: Trusted,
  next: Key,
  change: Partial<InputOf<'signing-rotate'>> = {},
) => ({
  mode: 'rotate_signing_credential' as const,
  target: 'own_signing' as const,
  next_key: nextKey(subject, next),
  reason: 'spring',
  idempotency_key: fresh(),
  ...change,
})

verifies(
  'agent.statement.signed',
  'a signed statement verifies at any process, and is no receipt',
  async () => {
    const { credential, credentialId, registered } = await trusted()
    const payload = { rows: 3, of: 'usage' }
    const signed = (
      await client(0, { agent: credential }).call('signing-sign', {
        mode: 'sign_with_active_signing_version',
        payload,
        context: 'month end',
      })
    ).body
    const { jws, payload_sha256 } = signed
    expect(payload_sha256).toBe(digest('{"of":"usage","rows":3}'))
    const good = {
      valid: true,
      version: 1,
      key_id: signed.key_id,
      key_state_at_signing: 'active',
      reasons: [],
    }
    expect(await verified({ jws, payload, version: 1 })).toMatchObject({
      ...good,
      claims: { sub: registered.agent.agent_id, context: 'month end', payload_sha256 },
    })
    expect(await verified({ jws, payload_sha256 })).toMatchObject(good)
    expect(await verified({ jws, payload: { ...payload, rows: 4 } })).toMatchObject({
      valid: false,
      claims: null,
      reasons: ['it is about other content'],
    })
    expect((await verified({ jws, version: 2 })).reasons).toEqual(['its version is 1'])
    expect((await verified({ jws: `${jws.slice(0, -4)}AAAA` })).reasons).toEqual([
      'the signature does not verify',
    ])
    expect((await verified({ jws: registered.receipt.jws })).reasons).toContain(
      'it is no agent statement',
    )
    const asReceipt = (await client(1).call('verify-receipt', { receipt: jws })).body
    expect(asReceipt.verified).toBe(false)
    const versions = (await client(1).call('signing-versions-read', {})).body
    expect(versions).toMatchObject({
      owner: 'service',
      versions: [{ version: 1, key_id: signed.key_id, state: 'active' }],
    })
    const audits = await apis.db
      .selectFrom('credential_audits')
      .select(['operation_id', 'decision'])
      .where('credential_id', '=', credentialId)
      .execute()
    expect(audits).toEqual([{ operation_id: 'signing-sign', decision: 'allow' }])
  },
)

verifies(
  'agent.statement.signed',
  'unauthorized signing and secrets are refused, and no secret is stored',
  async () => {
    const { credential } = await trusted()
    const reader = await trustedAgent(hosts(), apis.operator, { requested_scopes: ['runs:read'] })
    const ask = (agent: string | undefined, payload: Record<string, unknown>) =>
      refusal(
        client(0, { agent: agent ?? `ag_${'0'.repeat(16)}_${'0'.repeat(64)}` }).call(
          'signing-sign',
          {
            mode: 'sign_with_active_signing_version',
            payload,
          },
        ),
      )
    expect(await ask(reader.credential, {})).toBe('scope_denied')
    expect(await ask(undefined, {})).toBe('credential_invalid')
    expect(await ask(credential, { big: 'x'.repeat(16_384) })).toBe('invalid_request')
    const seed = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    expect(await ask(credential, { note: { deep: [seed] } })).toBe('forbidden_material')
    const calls = JSON.stringify(await apis.db.selectFrom('calls').selectAll().execute())
    expect([calls.includes('sausage'), apis.logged().includes('sausage')]).toEqual([false, false])
  },
)

verifies(
  ['agent.statement.own-key', 'agent.signing.rotated'],
  'both keys sign a key change, and old signatures still verify',
  async () => {
    const subject = await trusted()
    const { agent, registered, credential } = subject
    const { agent_id } = registered.agent
    const now = () => Math.floor(Date.now() / 1000)
    const claims = (iat = now()) => ({ iat, sub: agent_id, payload_sha256: 'a'.repeat(64) })
    const [first, next] = [`${agent_id}#1`, newKey()]
    const own = (iat?: number) => stated(agent.privateKey, first, claims(iat))
    expect(
      await verified({ jws: own(), payload_sha256: 'a'.repeat(64), version: 1 }),
    ).toMatchObject({
      valid: true,
      version: 1,
      key_id: first,
    })
    const other = await trusted()
    const foreign = { ...claims(), sub: other.registered.agent.agent_id }
    expect((await verified({ jws: stated(agent.privateKey, first, foreign) })).reasons).toEqual([
      'the key is of another agent than it speaks for',
    ])
    expect((await verified({ jws: own(now() + 3600) })).reasons).toEqual(['it is from the future'])
    expect((await verified({ jws: own(now() - 3600) })).reasons).toEqual([
      'the key was pending then',
    ])

    const input = rotation(subject, next, { overlap_seconds: 600 })
    const { body, status } = await client(1, { agent: credential }).call('signing-rotate', input)
    expect([status, body]).toMatchObject([
      201,
      {
        version: { version: 2, key_id: `${agent_id}#2`, public_key: next.jwk, state: 'active' },
        previous: { version: 1, key_id: first, state: 'retiring' },
        receipt: {
          kind: 'key_event',
          payload: { act: 'rotate_signing', requested_by: agent_id, version: 2 },
        },
      },
    ])
    // A stranger follows the receipt from the old key to the next.
    const notified = body.receipt?.payload as {
      signed_by_old: string
      signed_by_next: string
      previous_key_sha256: string
    }
    const text = Buffer.from(rotationText(agent_id, notified.previous_key_sha256, next.sha256))
    expect(
      verify(null, text, agent.publicKeyObject, Buffer.from(notified.signed_by_old, 'base64url')),
    ).toBe(true)
    expect(
      verify(null, text, next.publicKey, Buffer.from(notified.signed_by_next, 'base64url')),
    ).toBe(true)
    expect((await client(0, { agent: credential }).call('signing-rotate', input)).body).toEqual(
      body,
    )
    const states = async () =>
      (await client(0).call('signing-versions-read', { agent_id })).body.versions.map(
        ({ state }) => state,
      )
    expect(await states()).toEqual(['active', 'retiring'])
    expect((await verified({ jws: own() })).valid).toBe(true)
    // Both keys shake hands during the overlap.
    expect((await agent.shake(registered.status_token, false)).status).toBe(200)

    const renewed = {
      ...subject,
      agent: { ...agent, publicKey: next.jwk, signText: by(next.privateKey) },
    }
    const third = newKey()
    const revoking = rotation(renewed, third, { revoke_old: true })
    expect(
      (await client(0, { agent: credential }).call('signing-rotate', revoking)).body,
    ).toMatchObject({
      version: { version: 3, state: 'active' },
      previous: { version: 2, state: 'revoked' },
    })
    expect(await states()).toEqual(['active', 'revoked', 'revoked'])
    expect((await verified({ jws: own() })).reasons).toEqual(['the key was revoked then'])
    expect(await refusal(agent.shake(registered.status_token, false))).toBe('proof_invalid')
    expect(
      (await verified({ jws: stated(third.privateKey, `${agent_id}#3`, claims()) })).valid,
    ).toBe(true)
  },
)

const by = (key: KeyObject) => (text: string) =>
  sign(null, Buffer.from(text), key).toString('base64url')

verifies(
  'agent.signing.rotated',
  'only the holder of the old and the next key changes a signing key',
  async () => {
    const subject = await trusted()
    const rotate = (
      change: Partial<InputOf<'signing-rotate'>>,
      who: object = { agent: subject.credential },
    ) => refusal(client(0, who).call('signing-rotate', rotation(subject, newKey(), change)))
    const strange = nextKey(subject, newKey())
    const other = await trusted()
    expect(await rotate({ next_key: { ...strange, signed_by_old: strange.signed_by_next } })).toBe(
      'proof_invalid',
    )
    expect(await rotate({ next_key: { ...strange, signed_by_next: strange.signed_by_old } })).toBe(
      'proof_invalid',
    )
    expect(await rotate({ agent_id: other.registered.agent.agent_id })).toBe('not_owner')
    expect(await rotate({ next_key: undefined })).toBe('invalid_request')
    expect(await rotate({ target: 'own_access_key' })).toBe('invalid_request')
    expect(
      await rotate({ agent_id: subject.registered.agent.agent_id }, { operator: apis.operator }),
    ).toBe('invalid_request')
    const taken = rotation(subject, { ...newKey(), ...keyOf(other) })
    expect(
      await refusal(client(0, { agent: subject.credential }).call('signing-rotate', taken)),
    ).toBe('key_already_registered')
    // A key that an agent rotated to cannot register another agent.
    const next = newKey()
    await client(0, { agent: subject.credential }).call('signing-rotate', rotation(subject, next))
    expect(await refusal(newAgentClient(hosts()).register({ public_key: next.jwk }))).toBe(
      'key_already_registered',
    )
  },
)

const keyOf = ({ agent }: Trusted) => ({
  jwk: agent.publicKey,
  privateKey: agent.privateKey,
  sha256: digest(`{"crv":"Ed25519","kty":"OKP","x":"${agent.publicKey.x}"}`),
})

verifies(
  'agent.credential.rotated-over-http',
  'agent or operator rotates an access key, and a leaked one stops',
  async () => {
    const { agent, registered, credential } = await trusted()
    const { agent_id } = registered.agent
    const works = async (key: string) =>
      Promise.all(
        [0, 1].map((api) =>
          refusal(
            client(api, { agent: key }).call('signing-sign', {
              mode: 'sign_with_active_signing_version',
              payload_sha256: 'b'.repeat(64),
            }),
          ),
        ),
      )
    const claim = async () => {
      const envelope = (await agent.shake(registered.status_token, true)).body.credential_envelope
      return envelope?.sealed === false ? envelope.credential : ''
    }
    const ask = (change: Partial<InputOf<'signing-rotate'>> = {}) => ({
      mode: 'rotate_signing_credential' as const,
      target: 'own_access_key' as const,
      reason: 'spring',
      idempotency_key: fresh(),
      ...change,
    })
    const first = ask({ overlap_seconds: 600 })
    const rotated = (await client(0, { agent: credential }).call('signing-rotate', first)).body
    expect(rotated).toMatchObject({
      version: { version: 2, state: 'pending', public_key: null },
      previous: { version: 1, state: 'active' },
      receipt: { kind: 'key_event', payload: { act: 'rotate', requested_by: agent_id } },
    })
    expect((await client(1, { agent: credential }).call('signing-rotate', first)).body).toEqual(
      rotated,
    )
    expect(JSON.stringify(rotated)).not.toMatch(/ag_[0-9a-f]{16}_/)
    expect(await refusal(client(1, { agent: credential }).call('signing-rotate', ask()))).toBe(
      'rotation_in_progress',
    )
    const second = await claim()
    expect([await works(credential), await works(second)]).toEqual([
      ['none', 'none'],
      ['none', 'none'],
    ])
    const leaked = (
      await client(1, { operator: apis.operator }).call(
        'signing-rotate',
        ask({ agent_id, revoke_old: true }),
      )
    ).body
    expect(leaked).toMatchObject({
      version: { version: 3, state: 'pending' },
      previous: { version: 2, state: 'revoked' },
      receipt: { payload: { operator_name: 'Ada' } },
    })
    const stopped = ['credential_invalid', 'credential_invalid']
    expect([await works(credential), await works(second)]).toEqual([stopped, stopped])
    expect(await works(await claim())).toEqual(['none', 'none'])
    await decide(hosts(), apis.operator, agent_id, 'hold')
    expect(
      await refusal(
        client(0, { operator: apis.operator }).call('signing-rotate', ask({ agent_id })),
      ),
    ).toBe('trust_required')
    expect(
      await refusal(
        client(0, { operator: apis.operator }).call(
          'signing-rotate',
          ask({ agent_id: `agt_${'0'.repeat(64)}` }),
        ),
      ),
    ).toBe('not_found')
  },
)
