import { afterAll, beforeAll, expect } from 'vitest'
import { hasUniqueNames, isNestedWithin } from '#domain/core/json-text.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis

beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${apis.hosts[0]!.base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return { status: answer.status, problem: (await answer.json()) as { code: string } }
}
const codeOf = async (...call: Parameters<typeof post>) => (await post(...call)).problem.code

const wrongKey = { authorization: `Bearer ag_${'0'.repeat(16)}_${'a'.repeat(43)}` }
const wrongOperator = { authorization: `Bearer op_${'0'.repeat(16)}_${'a'.repeat(64)}` }
const notJson = '{"mode": '

verifies(
  'admission.caller-first',
  'a wrong credential is refused although the body is not JSON',
  async () => {
    expect(await codeOf('/api/agent-use', notJson, wrongKey)).toBe('credential_invalid')
    expect(await codeOf('/api/agent-self-serve-rail-loop', notJson)).toBe('credential_required')
    expect(await codeOf('/api/delegated-authority', notJson, wrongOperator)).toBe(
      'credential_invalid',
    )
    expect(await codeOf('/api/payout-create', notJson)).toBe('wallet_proof_required')
    expect(await codeOf('/api/payout-create', notJson, { 'x-service-wallet-proof': 'e30' })).toBe(
      'wallet_proof_invalid',
    )
    expect(await codeOf('/api/agent-paid-callback-completion', notJson)).toBe(
      'webhook_signature_invalid',
    )
    expect(await codeOf('/api/agent-use', notJson)).toBe('invalid_json')
  },
)

verifies(
  'admission.body-size',
  'a body over 64 KiB without a credential is 413, with one it is taken',
  async () => {
    const large = JSON.stringify({ note: 'x'.repeat(65_536) })
    for (const path of ['/api/agent-use', '/api/work-orders', '/api/wallet-bound-rail-run'])
      expect((await post(path, large)).status, path).toBe(413)
    const wrongKey = { authorization: `Bearer ag_${'0'.repeat(16)}_${'a'.repeat(64)}` }
    expect((await post('/api/work-orders', large, wrongKey)).status).toBe(401)
    expect(
      (await post('/api/agent-identity', large, { authorization: `Bearer ${apis.operator}` }))
        .status,
    ).toBe(404)
    expect(
      (await post('/api/agents/quote', large, { 'x-service-wallet-proof': 'e30' })).status,
    ).toBe(413)
  },
)

verifies(
  'admission.json-depth',
  'a body nested deeper than 64 levels is invalid_json',
  async () => {
    const nested = (levels: number) => `{"rail":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    const deep = [65, 9_000, 30_000]
    for (const levels of deep)
      expect(await codeOf('/api/agents/quote', nested(levels))).toBe('invalid_json')
    expect(await codeOf('/api/agents/quote', nested(64))).toBe('invalid_request')
  },
)

verifies('admission.json-depth', 'brackets and quotes inside strings are no levels', () => {
  const within = (json: string) => isNestedWithin(Buffer.from(json), 2)
  expect(within('{"[[[[": ["{{{\\"{{{", "\\\\", []]}'.replace(', []', ''))).toBe(true)
  expect(within('[["\\\\", []]]')).toBe(false)
  expect(within('[["\\"", {}]]')).toBe(false)
  expect(within('"[[[["')).toBe(true)
})

verifies('admission.unique-names', 'a body that names a member twice is invalid_json', async () => {
  const quote = (rail: string) =>
    `{${rail},"tier":"entry","units":1,"idempotency_key":"twice-${Math.random()}"}`
  const status = async (body: string) => (await post('/api/agents/quote', body)).status
  expect(await status(quote('"rail":"packetops"'))).toBeLessThan(300)
  const twice = [
    '"rail":"tokenops","rail":"packetops"',
    '"rail":"packetops","rail":"packetops"',
    '"rail":"tokenops","\\u0072ail":"packetops"',
  ]
  for (const rail of twice)
    expect(await codeOf('/api/agents/quote', quote(rail)), rail).toBe('invalid_json')
  const call = (name: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",${name}"arguments":{}}}`
  const answered = await post('/api/mcp', call('"name":"b",'), { accept: 'application/json' })
  expect(answered.problem).toMatchObject({ error: { code: -32700 } })
})

verifies('admission.unique-names', 'names are compared as they are read, at any depth', () => {
  const unique = (json: string) => hasUniqueNames(Buffer.from(json), JSON.parse(json))
  expect(unique('{"a:b":":","c":["\\":",{"a:b":{"c":null}}],"__proto__":{"a":1},"":{}}')).toBe(true)
  expect(unique('[{"a":1},{"a":1}]')).toBe(true)
  for (const json of [
    '{"a":1,"a":1}',
    '[[{"b":{"a":1,"c":[],"a":2}}]]',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
    '{"a":{"b":1},"a":1}',
  ])
    expect(unique(json), json).toBe(false)
})
