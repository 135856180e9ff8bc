import { afterAll, beforeAll, expect } from 'vitest'
import { isNestedWithin } from '../../activities/http/json-depth.ts'
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
    expect((await post('/api/work-orders', large, wrongOperator)).status).toBe(401)
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
