import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Validator } from '@seriousme/openapi-schema-validator'
import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { bodySha256, walletProofText } from '#domain/payouts/wallet-proof.ts'
import { openPayingAgent } from '../../../worker/stack/paying-agent.ts'
import {
  type Agent,
  nowSeconds,
  openRail,
  proofOf,
  type Rail,
  type RawAnswer,
} from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { treasurySteps } from '../../support/treasury-steps.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let origin: string
beforeAll(async () => {
  stack = await startStack({ runWorkers: 0, env: { LOG_LEVEL: 'debug' } })
  rail = await openRail(stack)
  origin = stack.baseUrls[0] as string
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const paths = {
  create: '/api/payout-create',
  authorize: '/api/payout-authorize',
  execute: '/api/payout-execute',
  status: '/api/payout-status',
  challenge: '/api/payout-challenge',
  issue: '/api/delegated-authority',
} as const
const payout_id = `po_${'ab'.repeat(32)}`
const bodies = {
  authorize: {
    payout_id,
    idempotency_key: 'k',
    presentation: 'p',
    challenge_token: 'c',
    expires_at: 4102444800,
    principal_signature: `0x${'ab'.repeat(65)}`,
  },
  execute: { payout_id, idempotency_key: 'k' },
  status: { payout_id },
  challenge: { holder_wallet: `0x${'ab'.repeat(20)}`, request_sha256: 'ab'.repeat(32) },
}

/** One POST of these very bytes, by default as JSON. */
async function raw(
  path: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as RawAnswer['body'],
  }
}

/** A problem as the conventions have it, with this code and these pointers, and with nothing of our insides. */
function expectProblem(
  { status, headers, body }: RawAnswer,
  expected: number,
  code: string,
  pointers: string[],
): void {
  const named = (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)
  expect([status, body['code'], named]).toEqual([expected, code, pointers])
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(body).toMatchObject({ status, money_moved: 'no', type: `${origin}/problems/${code}` })
  expect(body['request_id']).toBe(headers.get('x-request-id'))
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.[jt]s:\d|\bat \w+ \(|stack/i)
}

/** Free or paid calls and used proofs of a wallet. */
async function charged({ address }: Pick<Agent, 'address'>): Promise<number> {
  const calls = rail.db
    .selectFrom('calls')
    .select('call_id')
    .where('caller', '=', `wallet:${address}`)
  const proofs = rail.db.selectFrom('proof_nonces').select('nonce').where('wallet', '=', address)
  const [granted, used] = await Promise.all([
    calls.where('grant_state', '<>', 'released').execute(),
    proofs.execute(),
  ])
  expect(used).toHaveLength(granted.length)
  return granted.length
}

verifies(
  [
    'pipeline.unknown-property',
    'pipeline.problem-json',
    'payout.create.schema',
    'authorize.schema',
    'status.exactly-one',
    'challenge.input-exact',
  ],
  'every fault of a body is a 400 that points at it, and charges nothing',
  async () => {
    const agent = await rail.openAgent()
    const create = rail.terms()
    const issue = { mode: 'issue_mandate', action: { payout: {} } }
    const amounts = ['1e3', '01', '-1', '1.', '.5', ' 1', '1.0000001', '1234567890']
    const cases: [keyof typeof paths, unknown, string[]][] = [
      ['create', { ...create, surplus: 1 }, ['/surplus']],
      ['create', { ...create, 'a/b~c': 1 }, ['/a~1b~0c']],
      ['create', { ...create, memo: undefined }, ['/memo']],
      ['create', { ...create, recipient: '0x12' }, ['/recipient']],
      ...amounts.map((amount_usdc): [keyof typeof paths, unknown, string[]] => [
        'create',
        { ...create, amount_usdc },
        ['/amount_usdc'],
      ]),
      ['create', { ...create, amount_usdc: 1 }, ['/amount_usdc']],
      ['create', { ...create, idempotency_key: 'k'.repeat(129) }, ['/idempotency_key']],
      ['create', { ...create, idempotency_key: 'k k' }, ['/idempotency_key']],
      ['create', { ...create, memo: 'm'.repeat(1025) }, ['/memo']],
      ['create', { ...create, rail_reference: 'r'.repeat(257) }, ['/rail_reference']],
      ['create', { ...create, usage: 'real' }, ['/usage']],
      ['authorize', { ...bodies.authorize, surplus: 1 }, ['/surplus']],
      ['authorize', { ...bodies.authorize, expires_at: 0 }, ['/expires_at']],
      ['authorize', { ...bodies.authorize, expires_at: 4102444801 }, ['/expires_at']],
      ['authorize', { ...bodies.authorize, expires_at: 1.5 }, ['/expires_at']],
      ['authorize', { ...bodies.authorize, presentation: '' }, ['/presentation']],
      ['authorize', { ...bodies.authorize, presentation: 'p'.repeat(24577) }, ['/presentation']],
      [
        'authorize',
        { ...bodies.authorize, challenge_token: 'c'.repeat(8193) },
        ['/challenge_token'],
      ],
      [
        'authorize',
        { ...bodies.authorize, principal_signature: `0x${'ab'.repeat(64)}` },
        ['/principal_signature'],
      ],
      ['authorize', { ...bodies.authorize, payout_id: payout_id.toUpperCase() }, ['/payout_id']],
      ['execute', { ...bodies.execute, surplus: 1 }, ['/surplus']],
      ['execute', { payout_id }, ['/idempotency_key']],
      ['status', { payout_id, idempotency_key: 'k' }, ['']],
      ['status', {}, ['']],
      ['status', { payout_id, surplus: 1 }, ['/surplus']],
      ['challenge', { ...bodies.challenge, payout_id }, ['/payout_id']],
      [
        'issue',
        { ...issue, surplus: 1, action: { ...issue.action, payout: { surplus: 1 } } },
        [
          '/action/payout/payout_id',
          '/action/payout/expires_at',
          '/action/payout/authorize_idempotency_key',
          '/action/payout/surplus',
          '/action/checkout_jwt',
          '/action/holder_proof',
          '/action/idempotency_key',
          '/surplus',
        ],
      ],
    ]
    const proofOfText = (text: string) =>
      proofOf(agent.account, origin, paths.create, JSON.parse(text))
    for (const [name, body, pointers] of cases) {
      const sent = JSON.parse(JSON.stringify(body))
      const proof =
        name === 'issue'
          ? { Authorization: `Bearer ${stack.accounts.operator.credential}` }
          : await proofOf(agent.account, origin, paths[name], sent)
      expectProblem(
        await raw(paths[name], JSON.stringify(sent), proof),
        400,
        'invalid_request',
        pointers,
      )
    }
    for (const body of ['[]', 'null', '"text"', '5'])
      expectProblem(
        await raw(paths.create, body, await proofOfText(body)),
        400,
        'invalid_request',
        [''],
      )
    const polluted = JSON.stringify(create).replace('{', '{"__proto__":{"usage":"operational"},')
    expectProblem(
      await raw(paths.create, polluted, await proofOfText(polluted)),
      400,
      'invalid_request',
      ['/__proto__'],
    )
    expect(await charged(agent)).toBe(0)
  },
)

verifies(
  ['pipeline.malformed', 'pipeline.text', 'pipeline.problem-json'],
  'bodies that are not valid JSON, too large or mistyped are refused',
  async () => {
    const agent = await rail.openAgent()
    const create = rail.terms()
    const text = JSON.stringify(create)
    const proof = await proofOf(agent.account, origin, paths.create, create)
    for (const body of [
      '',
      '{',
      `${text}x`,
      text.replaceAll('"', "'"),
      new Uint8Array([0x7b, 0xff, 0x7d]),
    ])
      expectProblem(await raw(paths.create, body, proof), 400, 'invalid_json', [''])
    const large = JSON.stringify({ ...create, memo: 'm'.repeat(10 * 1024 * 1024) })
    for (const name of ['create', 'challenge', 'issue'] as const)
      expectProblem(await raw(paths[name], large), 413, 'payload_too_large', [])
    expectProblem(await raw(paths.create, new Blob([large]).stream()), 413, 'payload_too_large', [])
    expectProblem(
      await raw(paths.create, `${text}${' '.repeat(65_536)}`, proof),
      413,
      'payload_too_large',
      [],
    )
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonl',
      'multipart/form-data; boundary=b',
    ])
      expectProblem(
        await raw(paths.create, text, { ...proof, 'Content-Type': type }),
        415,
        'unsupported_media_type',
        [],
      )
    expectProblem(
      await raw(paths.create, text, { ...proof, 'Content-Encoding': 'gzip' }),
      415,
      'unsupported_media_type',
      [],
    )
    for (const broken of ['\\u0000', 'a\\ud800b', '\\udc00'])
      for (const field of ['memo', 'rail_reference', 'idempotency_key']) {
        const body = JSON.stringify({ ...create, [field]: '@' }).replace('"@"', `"${broken}"`)
        // Without a canonical form there is nothing to sign.
        const signed =
          broken === '\\u0000'
            ? await proofOf(agent.account, origin, paths.create, JSON.parse(body))
            : proof
        expectProblem(await raw(paths.create, body, signed), 400, 'invalid_request', [`/${field}`])
      }
    const get = await fetch(origin + paths.create)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await get.json()).toMatchObject({ code: 'method_not_allowed' })
    expect(await charged(agent)).toBe(0)
    const { payout } = (
      await agent.client.call('payout-create', { ...create, memo: '🜚'.repeat(1024) })
    ).body
    expect(payout.memo).toBe('🜚'.repeat(1024))
  },
)

verifies(
  ['pipeline.forbidden-material', 'charge.only-success'],
  'a secret in free text is refused by its pointer and stored nowhere',
  async () => {
    const agent = await rail.openAgent()
    const marker = 'Zq7Xw9Kp2Vn4'
    const secrets = [
      `-----BEGIN PRIVATE KEY-----\n${marker}\n-----END PRIVATE KEY-----`,
      `sk_live_${marker}${marker}`,
      `https://agent:${marker}@example.org/`,
      `{"kty":"OKP","crv":"Ed25519","d":"${marker}${marker}"}`,
    ]
    for (const secret of secrets)
      for (const field of ['memo', 'rail_reference']) {
        const body = rail.terms({ [field]: secret })
        const proof = await proofOf(agent.account, origin, paths.create, body)
        const answer = await raw(paths.create, JSON.stringify(body), proof)
        expectProblem(answer, 422, 'forbidden_material', [`/${field}`])
        expect(JSON.stringify([answer.body, [...answer.headers]])).not.toContain(marker)
      }
    const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const body = rail.terms({ memo: phrase })
    const proof = await proofOf(agent.account, origin, paths.create, body)
    expectProblem(await raw(paths.create, JSON.stringify(body), proof), 422, 'forbidden_material', [
      '/memo',
    ])
    expect(await charged(agent)).toBe(0)

    // What is accepted is found by the same search, so the search is no empty one.
    const harmless = 'harmless-Zq7Xw9Kp'
    await rail.create(agent, { memo: harmless })
    expect((await traces(harmless)).tables).toContain('payouts')
    for (const value of [marker, phrase])
      expect(await traces(value)).toEqual({ tables: [], files: [] })
    expect(Object.values(stack.logs()).join('\n')).toContain('payout-create')
  },
)

verifies(
  'admission.screening-kinds',
  'digests and hashes in memo and rail_reference are stored as sent',
  async () => {
    const agent = await rail.openAgent()
    const digest = sha256Hex('invoice 117')
    const texts = [
      digest,
      `sha256:${digest}`,
      `0x${digest}`,
      `Paid by transaction 0x${digest}, file digest ${digest}.`,
    ]
    for (const text of texts) {
      const terms = { memo: text, rail_reference: text }
      const { payout } = (await agent.client.call('payout-create', rail.terms(terms))).body
      expect(payout).toMatchObject(terms)
    }
  },
)

/** The tables and the files of the stack (Postgres' and Temporal's own and all logs among them) that hold a text. */
async function traces(text: string): Promise<{ tables: string[]; files: string[] }> {
  const names = readdirSync(stack.dataDirectory, { recursive: true, withFileTypes: true })
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => contentOf(path).includes(text))
  const listed = await sql<{
    name: string
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(rail.db)
  const tables: string[] = []
  for (const { name } of listed.rows) {
    const holds = sql<{
      n: string
    }>`select 1 as n from ${sql.table(name)} t where position(${text} in t::text) > 0 limit 1`
    if ((await holds.execute(rail.db)).rows.length > 0) tables.push(name)
  }
  return { tables, files }
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    // The servers remove files of theirs while we look.
    return Buffer.alloc(0)
  }
}

type Sent = { wallet?: string; signature?: string; path?: string; method?: string; kid?: string }
type Signed = {
  origin?: string
  path?: string
  method?: string
  issuedAt?: number
  body?: unknown
  nonce?: string
}

/** A proof for a create that says `signed` in its text and shows `sent` in its header. */
async function bentProof(
  { account, address }: Agent,
  body: unknown,
  signed: Signed = {},
  sent: Sent = {},
) {
  const terms = {
    origin,
    path: paths.create as string,
    method: 'POST',
    wallet: address,
    bodySha256: bodySha256(signed.body ?? body),
    issuedAt: nowSeconds(),
    nonce: sha256Hex(String(Math.random())).slice(0, 32),
    ...signed,
  }
  const signature = await account.signMessage({ message: walletProofText(terms) })
  const { path, method, issuedAt, nonce } = terms
  const shown = {
    v: 1,
    wallet: address,
    chain_id: 8453,
    method,
    path,
    body_sha256: terms.bodySha256,
    issued_at: issuedAt,
    nonce,
    signature,
  }
  return {
    header: (of: Sent) => encode({ ...shown, ...of }),
    signature,
    proof: encode({ ...shown, ...sent }),
  }
}
const encode = (proof: object) => ({
  'X-Service-Wallet-Proof': Buffer.from(JSON.stringify(proof)).toString('base64url'),
})

verifies(
  [
    'proof.required',
    'proof.unknown-member',
    'proof.other-path',
    'proof.other-method',
    'proof.other-body',
    'proof.other-origin',
    'proof.upper-case',
    'proof.signature-form',
    'proof.age.old',
    'proof.age.ahead',
    'proof.not-burnt',
  ],
  'every bent wallet proof is 401 by its code and uses up nothing',
  async () => {
    const agent = await rail.openAgent()
    const body = rail.terms()
    const plain = await bentProof(agent, body)
    const right = plain.signature
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const highS = (order - BigInt(`0x${right.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const rows: [name: string, proof: Record<string, string>, code: string][] = [
      ['none', {}, 'wallet_proof_required'],
      [
        'checksummed address',
        plain.header({ wallet: agent.account.address }),
        'wallet_proof_invalid',
      ],
      [
        'v of 0 or 1',
        plain.header({ signature: `${right.slice(0, 130)}${right.endsWith('1b') ? '00' : '01'}` }),
        'wallet_proof_invalid',
      ],
      [
        'high s',
        plain.header({
          signature: `${right.slice(0, 66)}${highS}${right.endsWith('1b') ? '1c' : '1b'}`,
        }),
        'wallet_proof_invalid',
      ],
      ['64 bytes', plain.header({ signature: right.slice(0, 130) }), 'wallet_proof_invalid'],
      ['unknown member', plain.header({ kid: 'k' }), 'wallet_proof_invalid'],
      [
        'wallet of another agent',
        plain.header({ wallet: newWallet().address }),
        'wallet_proof_invalid',
      ],
      [
        'other path',
        (await bentProof(agent, body, { path: paths.status })).proof,
        'wallet_proof_invalid',
      ],
      [
        'other method',
        (await bentProof(agent, body, { method: 'PUT' })).proof,
        'wallet_proof_invalid',
      ],
      [
        'other origin',
        (await bentProof(agent, body, { origin: 'https://evil.example' })).proof,
        'wallet_proof_invalid',
      ],
      [
        'other body',
        (await bentProof(agent, body, { body: { ...body, memo: 'tesT' } })).proof,
        'wallet_proof_invalid',
      ],
      [
        'default filled in',
        (await bentProof(agent, body, { body: { ...body, usage: 'unspecified' } })).proof,
        'wallet_proof_invalid',
      ],
      [
        '301 s old',
        (await bentProof(agent, body, { issuedAt: nowSeconds() - 301 })).proof,
        'wallet_proof_expired',
      ],
      [
        '40 s ahead',
        (await bentProof(agent, body, { issuedAt: nowSeconds() + 40 })).proof,
        'wallet_proof_expired',
      ],
    ]
    for (const [name, proof, code] of rows) {
      const answer = await raw(paths.create, JSON.stringify(body), proof)
      expect([name, answer.status, answer.body['code']]).toEqual([name, 401, code])
      expect(answer.headers.get('www-authenticate')).toBe(`ServiceWalletProof error="${code}"`)
    }
    expect(await charged(agent)).toBe(0)
    expect(await raw(paths.create, JSON.stringify(body), plain.proof)).toMatchObject({
      status: 201,
    })
    expect(await charged(agent)).toBe(1)
  },
)

verifies(
  ['proof.key-order', 'proof.replay-same', 'proof.replay-other-body', 'status.repeat-afresh'],
  'one proof sent 20 times has one effect and fits no other call',
  async () => {
    const agent = await rail.openAgent()
    const body = rail.terms()
    const turned = JSON.stringify(Object.fromEntries(Object.entries(body).reverse()))
    const { proof } = await bentProof(agent, body, { nonce: 'ab'.repeat(16) })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        raw(paths.create, index % 2 ? turned : JSON.stringify(body), proof),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
    expect(await charged(agent)).toBe(1)

    const other = rail.terms()
    const again = await bentProof(agent, other, { nonce: 'ab'.repeat(16) })
    expectProblem(
      await raw(paths.create, JSON.stringify(other), again.proof),
      409,
      'wallet_proof_replayed',
      [],
    )
    const status = { idempotency_key: body.idempotency_key }
    const elsewhere = await bentProof(agent, status, { nonce: 'ab'.repeat(16), path: paths.status })
    expectProblem(
      await raw(paths.status, JSON.stringify(status), elsewhere.proof),
      409,
      'wallet_proof_replayed',
      [],
    )
    expect(await charged(agent)).toBe(1)

    const read = await bentProof(agent, status, { path: paths.status })
    const reads = await Promise.all(
      Array.from({ length: 20 }, () => raw(paths.status, JSON.stringify(status), read.proof)),
    )
    expect(new Set(reads.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(reads[0]).toMatchObject({ status: 200, body: answers[0]?.body })
    expect(await charged(agent)).toBe(2)
  },
)

verifies(
  ['proof.not-burnt', 'x402.offer', 'x402.paid'],
  'a proof that was answered 402 is good for the same call with a payment',
  async () => {
    const agent = await rail.openAgent({ tokens: 100_000n })
    await rail.useUpFreeCalls(agent.address)
    const body = rail.terms()
    const { proof } = await bentProof(agent, body)
    const unpaid = await raw(paths.create, JSON.stringify(body), proof)
    expectProblem(unpaid, 402, 'payment_required', [])
    expect(unpaid.body).toMatchObject({
      accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '100000' }],
    })
    const paying = openPayingAgent({
      baseUrl: origin,
      origin,
      privateKey: agent.privateKey,
      asset: rail.asset,
    })
    const headers = { 'Content-Type': 'application/json', ...proof }
    const paid = await paying.fetch(origin + paths.create, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect([paid.status, paid.headers.has('payment-response')]).toEqual([201, true])
    expect(await rail.balance(agent.address)).toBe(0n)
  },
)

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(origin + path, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

verifies(
  [
    'discovery.trust-contract',
    'discovery.jwks',
    'discovery.openapi',
    'challenge.answer',
    'challenge.holder-unknown',
    'mandate.issue',
  ],
  'the published documents show the service’s addresses, caps and keys',
  async () => {
    const contract = JSON.parse((await get('/api/trust-contract')).text)
    const { env } = stack
    expect(contract).toMatchObject({
      service_id: 'service-trust-v1',
      issuer: `${origin}/api/trust-contract`,
      environment: 'local',
      alg: 'EdDSA',
      jwk: { kty: 'OKP', crv: 'Ed25519' },
      x402: {
        x402Version: 2,
        scheme: 'exact',
        network: 'eip155:8453',
        asset: rail.asset.toLowerCase(),
        amount: '100000',
        pay_to: env['PAY_TO_ADDRESS'],
      },
      payout: {
        service_id: 'service-payout-rail',
        version: '1.0.0',
        payout_wallet: env['PAYOUT_WALLET_ADDRESS'],
        payout_principal_is_fee: false,
        caps: { max_payout_atomic: '25000000', daily_cap_atomic: '100000000' },
        holder_bindings: [
          { version: 1, method: 'eth_sign', format: 'ES256K kb+jwt' },
          { version: 2, method: 'personal_sign', format: 'service-holder-binding-v2' },
        ],
        eip712: {
          domain: {
            name: 'Service Payout Rail',
            version: '1',
            chainId: 8453,
            verifyingContract: rail.asset.toLowerCase(),
          },
          primary_type: 'PayoutAuthorization',
        },
      },
    })
    const jwks = JSON.parse((await get('/.well-known/jwks.json')).text) as JSONWebKeySet
    expect(jwks.keys.map((key) => (key as { use_for?: string }).use_for).sort()).toEqual([
      'agent-statement',
      'authority',
      'callback',
      'checkout',
      'log',
      'receipt',
    ])
    expect(jwks.keys.some((key) => 'd' in key)).toBe(false)
    const authority = JSON.parse((await get('/.well-known/service-authority-key.json')).text) as {
      public_key: JWK
      key_id: string
    }

    const agent = await rail.openAgent()
    const { payout, receipt } = (await agent.client.call('payout-create', rail.terms())).body
    const steps = treasurySteps(rail)
    const { challenge, mandate, digest } = await steps.prepare(payout, {
      expiresAt: nowSeconds() + 600,
      idempotencyKey: 'a',
    })
    const receiptKey = await importJWK(contract.jwk, 'EdDSA')
    expect((await compactVerify(receipt as string, receiptKey)).protectedHeader.kid).toBe(
      contract.key_id,
    )
    const authorityKey = await importJWK(authority.public_key, 'EdDSA')
    for (const [jws, typ] of [
      [challenge.challenge_token, 'service-payout-challenge+jwt'],
      [mandate.split('~')[0], 'dc+sd-jwt'],
    ] as const)
      expect((await compactVerify(jws as string, authorityKey)).protectedHeader).toMatchObject({
        typ,
        kid: authority.key_id,
      })
    const checkout = await compactVerify(challenge.checkout_jwt, createLocalJWKSet(jwks), {
      algorithms: ['ES256'],
    })
    expect(JSON.parse(new TextDecoder().decode(checkout.payload))).toMatchObject({
      iss: origin,
      jti: challenge.nonce,
      currency: 'USD',
      totals: [{ type: 'total', amount: 10 }],
      request_digest: {
        type: 'service.payout.principal-authorization.v1',
        alg: 'sha-256',
        value: digest,
      },
    })
    expect(challenge.checkout_hash).toBe(
      Buffer.from(sha256Hex(challenge.checkout_jwt), 'hex').toString('base64url'),
    )
    expect(decodeJwt(challenge.challenge_token)).toMatchObject({
      aud: `${origin}/api/payout-authorize`,
      request_sha256: digest,
    })
    expectProblem(
      await raw(paths.challenge, JSON.stringify(bodies.challenge)),
      403,
      'holder_unknown',
      [],
    )

    const openapi = JSON.parse((await get('/openapi.json')).text)
    expect(openapi.openapi).toBe('3.1.0')
    expect(await new Validator().validate(openapi)).toMatchObject({ valid: true })
    // This takes seconds in one go: the connections that the server closed meanwhile have to be noticed.
    await sleep(100)
    const { issue, ...payoutPaths } = paths
    for (const path of Object.values(payoutPaths))
      expect(Object.keys(openapi.paths[path])).toEqual(['post'])
    expect(Object.keys(openapi.paths[issue])).toEqual(['get', 'post'])
  },
)

verifies(
  'pipeline.headers',
  'documents have an ETag, and only public GETs are open to every origin',
  async () => {
    const from = { Origin: 'https://elsewhere.example' }
    for (const path of [
      '/api/trust-contract',
      '/.well-known/jwks.json',
      '/.well-known/service-authority-key.json',
      '/openapi.json',
    ]) {
      const first = await get(path, from)
      expect([path, first.status, first.headers.get('access-control-allow-origin')]).toEqual([
        path,
        200,
        '*',
      ])
      expect(first.headers.get('cache-control')).toBe('public, max-age=300')
      const etag = first.headers.get('etag') as string
      const second = await get(path, { 'If-None-Match': etag })
      expect([path, second.status, second.text]).toEqual([path, 304, ''])
      expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
    }
    const missing = await get(`/api/verify-receipt?receipt_id=rc_${'0'.repeat(64)}`, from)
    expect([missing.status, missing.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
    expect(missing.headers.get('cache-control')).toBe('no-store')
    const { issue, ...closed } = paths
    expect((await raw(issue, '{}', from)).headers.get('cache-control')).toBe('no-store')
    for (const path of Object.values(closed)) {
      const posted = await raw(path, '{}', from)
      const preflight = await fetch(origin + path, {
        method: 'OPTIONS',
        headers: { ...from, 'Access-Control-Request-Method': 'POST' },
      })
      expect([path, preflight.status]).toEqual([path, 405])
      for (const { headers } of [posted, preflight]) {
        expect(headers.get('access-control-allow-origin')).toBeNull()
        expect(headers.get('x-interface-version')).toBe('resolver-v0.1')
        expect(headers.get('cache-control')).toBe('no-store')
        expect(headers.get('x-request-id')).toMatch(/^req_/)
      }
    }
  },
)
