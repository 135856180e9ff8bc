import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { payoutId } from '#domain/core/ids.ts'
import { railOf, receiptSigner } from '../../../activities/container.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import type { Deps } from '../../../activities/payouts/deps.ts'
import { createPayoutSteps } from '../../../activities/payouts/payout.ts'
import {
  ensureGasWallets,
  storeGasWalletTransaction,
} from '../../../activities/store/gas-wallets/gas-wallets.ts'
import { readGasWallets } from '../../../activities/store/gas-wallets/health.ts'
import {
  type ClientOptions,
  type ClientWallet,
  createClient,
  walletProofHeader,
} from '../../../api/http/client.ts'
import { tableOf } from '../../../worker/doctor/examine.ts'
import { checkGasWalletQueues } from '../../../worker/doctor/postgres.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { leastMs } from '../../support/least-ms.ts'
import { verifies } from '../../verifies.ts'

// The whole API over a real Postgres, while neither Temporal nor a chain is there.
let apis: ComposedApis
let baseUrl: string
const holder = `0x${'c3'.repeat(20)}`

beforeAll(async () => {
  apis = await startComposed()
  baseUrl = apis.hosts[0]!.base
  options = { baseUrl, origin: 'http://127.0.0.1:3000', wallet }
})
afterAll(() => apis?.stop())

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`)
let options: ClientOptions & { wallet: ClientWallet }
const client = () => createClient(options)

verifies('discovery.openapi', 'openapi.json answers the document of this registry', async () => {
  const { body } = await client().call('openapi', {})
  expect(body.openapi).toBe('3.1.0')
  expect(Object.keys(body.paths as object)).toContain('/api/payout-create')
})

verifies(
  'discovery.trust-contract',
  'the trust contract has services, caps, price, bindings, typed data',
  async () => {
    const { body } = await client().call('trust-contract', {})
    expect(body).toMatchObject({
      service_id: 'service-trust-v1',
      issuer: 'http://127.0.0.1:3000/api/trust-contract',
      alg: 'EdDSA',
      jwk: { kty: 'OKP', crv: 'Ed25519' },
      payout: {
        service_id: 'service-payout-rail',
        version: '1.0.0',
        caps: { max_payout_atomic: '25000000', daily_cap_atomic: '100000000' },
        price: { x402Version: 2, scheme: 'exact', network: 'eip155:8453', amount: '100000' },
        holder_bindings: [
          { version: 1, method: 'eth_sign', format: 'ES256K kb+jwt' },
          { version: 2, method: 'personal_sign', format: 'service-holder-binding-v2' },
        ],
        eip712: {
          domain: { name: 'Service Payout Rail', version: '1', chainId: 8453 },
          primary_type: 'PayoutAuthorization',
        },
      },
    })
  },
)

verifies(
  'discovery.jwks',
  'the key documents have a key for each purpose and its times',
  async () => {
    const { keys } = (await client().call('jwks', {})).body
    expect(keys.map((key) => key['use_for']).sort()).toEqual([
      'agent-statement',
      'authority',
      'callback',
      'checkout',
      'log',
      'receipt',
    ])
    for (const key of keys) {
      expect(key).toMatchObject({
        state: 'active',
        activated_at: expect.any(String),
        retired_at: null,
        revoked_at: null,
      })
      expect(key).not.toHaveProperty('d')
    }
    const authority = (await client().call('authority-key', {})).body
    expect(authority.key_id).toBe(keys.find((key) => key['use_for'] === 'authority')?.kid)
  },
)

verifies(
  'schemas.published',
  'each schema document at its URL is cacheable and has its digest',
  async () => {
    const { schemas } = (await client().call('schema-index', {})).body
    for (const { name, url, sha256 } of schemas) {
      const answer = await fetch(baseUrl + new URL(url).pathname)
      const bytes = new Uint8Array(await answer.arrayBuffer())
      expect(createHash('sha256').update(bytes).digest('hex'), name).toBe(sha256)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      expect(answer.headers.has('etag')).toBe(true)
      expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({ $id: url })
    }
    await expect(
      client().call('schema-read', { schema_name: 'none.v1.json' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  },
)

test('a challenge needs no chain or Temporal, only the treasury holder', async () => {
  const request_sha256 = 'ab'.repeat(32)
  const { status, body } = await client().call('payout-challenge', {
    holder_wallet: holder,
    request_sha256,
  })
  expect(status).toBe(200)
  expect(body.audience).toBe('http://127.0.0.1:3000/api/payout-authorize')
  const stranger = client().call('payout-challenge', {
    holder_wallet: `0x${'d4'.repeat(20)}`,
    request_sha256,
  })
  await expect(stranger).rejects.toMatchObject({
    code: 'holder_unknown',
    problem: { status: 403, money_moved: 'no' },
  })
})

verifies(
  'health.ready',
  'readiness names what is down, within 2 s; liveness does not care',
  async () => {
    expect(await leastMs(2_000, () => client().call('readyz', {}))).toBeLessThan(2_000)
    const { status, body } = await client().call('readyz', {})
    expect(status).toBe(503)
    expect(Object.keys(body.checks).sort()).toEqual([
      'chain',
      'clock',
      'disk',
      'lane',
      'nodes',
      'postgres',
      'schema',
      'search_attributes',
      'signer',
      'switches',
      'temporal',
      'workers',
    ])
    expect(Object.entries(body.checks).map(([name, { ok }]) => [name, ok])).toEqual(
      expect.arrayContaining([
        ['postgres', true],
        ['clock', true],
        ['temporal', false],
        ['chain', false],
      ]),
    )
    expect(await client().call('healthz', {})).toMatchObject({ status: 200, body: { ok: true } })
  },
)

verifies('operate.readyz-status', 'strangers see states of readyz and no counts', async () => {
  const elsewhere = { 'X-Forwarded-For': '203.0.113.7' }
  const read = async (headers: Record<string, string>) => {
    const answer = await fetch(`${baseUrl}/readyz`, { headers })
    return { status: answer.status, body: (await answer.json()) as Ready }
  }
  const [here, outside, operator] = [
    await read({}),
    await read(elsewhere),
    await read({ ...elsewhere, Authorization: `Bearer ${apis.operator}` }),
  ]
  const details = ({ body }: typeof here) => Object.values(body.checks).map(({ detail }) => detail)
  const states = ({ body }: typeof here) =>
    Object.entries(body.checks).map(([name, { ok }]) => [name, ok])
  expect(new Set(details(outside))).toEqual(new Set(['well', 'not well']))
  for (const { status } of [here, outside, operator]) expect(status).toBe(503)
  expect(states(outside)).toEqual(states(here))
  for (const seen of [here, operator]) {
    expect(seen.body.checks['clock']?.detail).toMatch(/^-?\d+ ms from this process/)
    expect(seen.body.checks['lane']?.detail).toMatch(/^\d+ gas wallets move$/)
  }
})

type Ready = { checks: Record<string, { ok: boolean; detail: string }> }

verifies(
  'gas-wallets.alarm',
  'readyz, metrics and doctor warn of a gas wallet that is stuck',
  async () => {
    const { db } = apis
    const [moving, jammed] = [`0x${'a7'.repeat(20)}`, `0x${'a8'.repeat(20)}`]
    await ensureGasWallets(db, [moving, jammed])
    const facts = {
      purpose: 'jams',
      to_address: moving,
      data: '0x',
      gas: '1',
      raw: '0x02',
      eoa_nonce: '4',
    }
    const fees = { max_fee_per_gas: '1', max_priority_fee_per_gas: '1' }
    await storeGasWalletTransaction(db, {
      tx_hash: `0x${'e5'.repeat(32)}`,
      gas_wallet: jammed,
      ...facts,
      ...fees,
    }).execute()
    const text = async () => (await fetch(`${baseUrl}/metrics`)).text()
    const notified = async () => (await client().call('readyz', {})).body.checks['lane']
    expect(await notified()).toEqual({ ok: true, detail: '2 gas wallets move' })
    expect(await text()).toContain(`agent_rails_gas_wallet_jammed{gas_wallet="${jammed}"} 0`)

    const since = new Date(Date.now() - 95_000)
    await db
      .updateTable('gas_wallets')
      .set({ moved_at: since })
      .where('address', '=', jammed)
      .execute()
    const sentence = `gas wallet ${jammed} has not moved since ${since.toISOString()}, 1 wait`
    expect(await notified()).toEqual({ ok: true, detail: sentence })
    const metrics = await text()
    expect(metrics).toContain(`agent_rails_gas_wallet_jammed{gas_wallet="${jammed}"} 1`)
    expect(metrics).toContain(`agent_rails_gas_wallet_open_nonces{gas_wallet="${jammed}"} 1`)
    expect(metrics).toMatch(
      new RegExp(`agent_rails_gas_wallet_idle_seconds\\{gas_wallet="${jammed}"\\} 9[5-9]`),
    )
    expect(metrics).toContain(`agent_rails_gas_wallet_jammed{gas_wallet="${moving}"} 0`)
    const finding = checkGasWalletQueues(await readGasWallets(db, 90_000))
    expect(finding).toMatchObject({
      ok: true,
      detail: sentence,
      remedy: expect.stringContaining('ether'),
    })
    expect(tableOf([{ name: 'queues', ...finding }])).toMatch(/^WARN {3}queues/)
  },
)

test('schema, JSON and credential faults are problems with their codes', async () => {
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    })
    return {
      status: response.status,
      headers: response.headers,
      problem: (await response.json()) as Record<string, unknown>,
    }
  }
  const proven = (body: unknown) =>
    walletProofHeader(options, { method: 'POST', path: '/api/payout-status' }, body).then(
      (proof) => ({
        'X-Service-Wallet-Proof': proof,
      }),
    )
  const send = async (body: unknown) =>
    post('/api/payout-status', JSON.stringify(body), await proven(body))
  expect(await post('/api/payout-status', '{"payout_id":', await proven({}))).toMatchObject({
    status: 400,
    problem: { code: 'invalid_json' },
  })
  const surplus = await send({ idempotency_key: 'k', 'surplus/key': 1 })
  expect(surplus).toMatchObject({
    status: 400,
    problem: { code: 'invalid_request', errors: [{ pointer: '/surplus~1key' }] },
  })
  expect(await send({})).toMatchObject({ status: 400, problem: { code: 'invalid_request' } })
  const unproven = await post('/api/payout-status', '{"idempotency_key":"k"}')
  expect(unproven).toMatchObject({ status: 401, problem: { code: 'wallet_proof_required' } })
  expect(unproven.headers.get('www-authenticate')).toBe(
    'ServiceWalletProof error="wallet_proof_required"',
  )
  const receipt = client().call('verify-receipt', { receipt_id: `rc_${'0'.repeat(64)}` })
  await expect(receipt).rejects.toMatchObject({ code: 'not_found' })
})

test('a proven wallet reads without Temporal; an unknown payout is 404', async () => {
  const unknown = client().call('payout-status', { idempotency_key: 'never-created' })
  await expect(unknown).rejects.toMatchObject({
    code: 'not_found',
    problem: { status: 404, money_moved: 'no' },
  })
})

const terms = {
  recipient: `0x${'e5'.repeat(20)}`,
  amount_usdc: '1',
  memo: 'm',
  rail_reference: 'r',
}

verifies('pipeline.dependency-down', 'a create without Temporal is a 503 within 2 s', async () => {
  const refused = () =>
    expect(
      client().call('payout-create', { ...terms, idempotency_key: 'c-1' }),
    ).rejects.toMatchObject({ problem: { status: 503, retryable: true } })
  expect(await leastMs(2_000, refused)).toBeLessThan(2_000)
})

verifies(
  'calls.answered-when-stored',
  'a create is answered once its step is stored, without Temporal',
  async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const own = await startComposed({
      env: { TEMPORAL_ADDRESS: `127.0.0.1:${port}`, DEPENDENCY_TIMEOUT_MS: '20000' },
    })
    try {
      const caller = createClient({
        baseUrl: own.hosts[0]!.base,
        origin: 'http://127.0.0.1:3000',
        wallet,
      })
      const asked = caller.call('payout-create', { ...terms, idempotency_key: 'c-2' })
      const granted = own.db.selectFrom('calls').select('call_id').where('grant_state', '=', 'open')
      const { call_id: callId } = await vi.waitFor(() => granted.executeTakeFirstOrThrow(), {
        timeout: 30_000,
        interval: 5,
      })
      const signReceipt = receiptSigner(loadKeyRings(own.config.SIGNING_KEYS_FILE))
      const steps = createPayoutSteps({ db: own.db, rail: railOf(own.config), signReceipt } as Deps)
      const step = { payoutId: payoutId(wallet.address, 'c-2'), callId }
      expect(await steps.createPayout(step)).toMatchObject({ ok: true })
      expect(await asked).toMatchObject({
        status: 201,
        body: { payout: { payout_id: step.payoutId, state: 'created' } },
      })
    } finally {
      await own.stop()
      silent.close()
    }
  },
)
