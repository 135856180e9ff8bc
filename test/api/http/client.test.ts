import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { x402Client } from '@x402/core/client'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { verifyMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import {
  createClient,
  type InputOf,
  type OutputOf,
  ProblemError,
} from '../../../api/http/client.ts'
import { importedFile } from '../../support/imported-file.ts'
import { verifies } from '../../verifies.ts'

type Sent = {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
}
type Given = { status: number; headers?: Record<string, string>; body: unknown }

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const asset = `0x${'a5'.repeat(20)}`
let sent: Sent[] = []
let answers: Given[] = []
let baseUrl = ''

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = '', url = '', headers } = request
  sent.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
  const { status, headers: more = {}, body } = answers.shift() ?? { status: 200, body: {} }
  response.writeHead(status, {
    'Content-Type': status < 400 ? 'application/json' : 'application/problem+json',
    ...more,
  })
  response.end(JSON.stringify(body))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  sent = []
  answers = []
})

const create = {
  recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  amount_usdc: '1.25',
  idempotency_key: 'c-1',
  memo: 'm',
  rail_reference: 'r',
} as const
const proofIn = ({ headers }: Sent) =>
  JSON.parse(
    Buffer.from(String(headers['x-service-wallet-proof']), 'base64url').toString(),
  ) as Record<string, string>

verifies(
  'proof.known-answer',
  'a proof is of the documented text, for the documented body digest',
  async () => {
    const client = createClient({
      baseUrl: `${baseUrl}/`,
      origin: 'https://svc.example',
      wallet: account,
    })
    await client.call('payout-create', create)
    const proof = proofIn(sent[0] as Sent)
    expect(proof).toMatchObject({
      v: 1,
      wallet: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
      chain_id: 8453,
      method: 'POST',
      path: '/api/payout-create',
      body_sha256: '7c4ea12d09d41c4f5f31343049011fdf8a0e3c71d2a66562c7f48f80d06325f5',
    })
    const { issued_at, nonce, signature } = proof
    expect(nonce).toMatch(/^[0-9a-f]{32}$/)
    expect(Math.abs(Number(issued_at) - Date.now() / 1000)).toBeLessThan(5)
    const message = [
      'service-wallet-proof-v1',
      'origin: https://svc.example',
      'method: POST',
      'path: /api/payout-create',
      'body-sha256: 7c4ea12d09d41c4f5f31343049011fdf8a0e3c71d2a66562c7f48f80d06325f5',
      'wallet: eip155:8453:0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
      `issued-at: ${issued_at}`,
      `nonce: ${nonce}`,
    ].join('\n')
    expect(
      await verifyMessage({
        address: account.address,
        message,
        signature: signature as `0x${string}`,
      }),
    ).toBe(true)
    expect(JSON.parse((sent[0] as Sent).body)).toEqual(create)
  },
)

test('every call has a proof of its own, and only wallet operations have one', async () => {
  const client = createClient({ baseUrl, wallet: account })
  await client.call('payout-create', create)
  await client.call('payout-create', create)
  await client.call('jwks', {})
  const [first, second, third] = sent as [Sent, Sent, Sent]
  expect(proofIn(first)['nonce']).not.toBe(proofIn(second)['nonce'])
  expect(third).toMatchObject({ method: 'GET', url: '/.well-known/jwks.json', body: '' })
  expect(third.headers).not.toHaveProperty('x-service-wallet-proof')
})

test('a GET sends its input as a query, an operator call its credential', async () => {
  const client = createClient({ baseUrl, operator: 'op_1_2' })
  await client.call('verify-receipt', { receipt: 'a.b+c/d', at: undefined })
  const action = {
    payout: { payout_id: 'po_', expires_at: 1, authorize_idempotency_key: 'a' },
    checkout_jwt: 'a.b.c',
    holder_proof: { binding_version: 2 as const, holder_wallet: '0x', signature: '0x' },
    idempotency_key: 'm',
  }
  await client.call('issue-mandate', { mode: 'issue_mandate', action })
  expect(sent[0]?.url).toBe('/api/verify-receipt?receipt=a.b%2Bc%2Fd')
  expect(sent[1]?.headers['authorization']).toBe('Bearer op_1_2')
})

test('an answer has its status, body, headers and whether it was replayed', async () => {
  answers = [
    {
      status: 201,
      headers: { 'Idempotent-Replayed': 'true', 'X-Request-Id': 'req_1' },
      body: { payout: {} },
    },
  ]
  const answer = await createClient({ baseUrl, wallet: account }).call('payout-create', create)
  expect(answer).toMatchObject({ status: 201, body: { payout: {} }, replayed: true })
  expect(answer.headers.get('x-request-id')).toBe('req_1')
})

test('readiness that is not well is an answer, not an exception', async () => {
  answers = [
    {
      status: 503,
      headers: { 'Content-Type': 'application/json' },
      body: { ok: false, checks: {} },
    },
  ]
  expect(await createClient({ baseUrl }).call('readyz', {})).toMatchObject({
    status: 503,
    body: { ok: false },
  })
})

test('a refusal is thrown with its code and problem', async () => {
  const problem = {
    code: 'payout_cap_exceeded',
    status: 422,
    detail: 'over 25000000',
    money_moved: 'no',
  }
  answers = [{ status: 422, body: problem }]
  const refused = createClient({ baseUrl, wallet: account }).call('payout-create', create)
  await expect(refused).rejects.toBeInstanceOf(ProblemError)
  await expect(refused).rejects.toMatchObject({ code: 'payout_cap_exceeded', problem })
})

test('an answer that is not of the service is an error of another kind', async () => {
  const client = createClient({
    baseUrl,
    fetch: async () => new Response('<html>', { status: 502 }),
  })
  await expect(client.call('healthz', {})).rejects.toThrow('the answer is not JSON (status 502)')
})

test('a wallet operation without a wallet is refused before anything is sent', async () => {
  await expect(createClient({ baseUrl }).call('payout-create', create)).rejects.toThrow(
    'createClient({ wallet })',
  )
  expect(sent).toEqual([])
})

test('a paying fetch repeats the same proof and body with its payment', async () => {
  const accepts = [
    {
      scheme: 'exact',
      network: 'eip155:8453' as const,
      amount: '100000',
      asset,
      payTo: `0x${'b6'.repeat(20)}`,
      maxTimeoutSeconds: 600,
      extra: { name: 'USD Coin', version: '2' },
    },
  ]
  const offer = {
    x402Version: 2,
    error: 'payment is required',
    resource: { url: `${baseUrl}/api/payout-create` },
    accepts,
  }
  answers = [
    {
      status: 402,
      headers: { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(offer as never) },
      body: { code: 'payment_required' },
    },
    { status: 201, body: { payout: {} } },
  ]
  const payer = x402Client.fromConfig({
    schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(account) }],
    spendControls: {
      allowedAssets: [{ network: 'eip155:8453', asset, maxAmountPerPayment: '100000' }],
    },
  })
  const client = createClient({
    baseUrl,
    wallet: account,
    fetch: wrapFetchWithPayment(fetch, payer),
  })
  expect((await client.call('payout-create', create)).status).toBe(201)
  const [first, second] = sent as [Sent, Sent]
  expect(second.headers['x-service-wallet-proof']).toBe(first.headers['x-service-wallet-proof'])
  expect(second.body).toBe(first.body)
  expect(second.headers['content-type']).toBe('application/json')
  const payment = JSON.parse(
    Buffer.from(String(second.headers['payment-signature']), 'base64').toString(),
  )
  expect(payment).toMatchObject({ x402Version: 2, payload: { authorization: { value: '100000' } } })
})

test('inputs and outputs are typed by the id of the operation', () => {
  expectTypeOf<InputOf<'payout-execute'>>().toEqualTypeOf<{
    payout_id: string
    idempotency_key: string
  }>()
  expectTypeOf<OutputOf<'payout-create'>['payout']['state']>().toEqualTypeOf<
    'created' | 'authorized' | 'executed'
  >()
  expectTypeOf<InputOf<'payout-create'>['usage']>().toEqualTypeOf<
    'synthetic' | 'operational' | 'unspecified' | undefined
  >()
})

test('the client loads nothing but declarations and pure rules', () => {
  const loaded = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    const text = readFileSync(join(packageRoot, file), 'utf8')
    for (const [, from = ''] of text.matchAll(
      /^(?:import|export) (?!type )[^'"]*?from '([^']+)'/gms,
    )) {
      const target = importedFile(file, from)
      if (target === undefined) packages.add(from)
      else visit(target)
    }
  }
  visit('api/http/client.ts')
  expect(loaded.size).toBeGreaterThan(15)
  for (const name of packages) expect(name).toMatch(/^(zod|canonicalize|@noble\/.+|@scure\/base)$/)
})
