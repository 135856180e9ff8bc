import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { freeText, IdempotencyKey } from '../../../api/fields.ts'
import { operation } from '../../../api/operation.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
let handled = 0

/** Handles each key once; a note of `broken` gets an answer that does not fit the schema. */
const staged = operation({
  id: 'staged',
  summary: 'An operation that fails in each stage.',
  http: { method: 'POST', path: '/test/staged', host: 'base' },
  access: 'operator',
  idempotency: { kind: 'body' },
  input: z.strictObject({
    note: freeText(200),
    allowed: z.boolean(),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ handled: z.int() }),
  authorize: async ({ allowed }) => {
    if (!allowed) throw refuse('control_denied', { detail: 'not allowed' })
  },
  handle: async ({ note }) => {
    handled += 1
    return { body: { handled: note === 'broken' ? 0.5 : handled } }
  },
})

beforeAll(async () => {
  apis = await startComposed({ more: [staged] })
})
afterAll(() => apis?.stop())

async function send(body: string | object, credential?: string) {
  const answer = await fetch(`${apis.hosts[0]!.base}/test/staged`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return {
    status: answer.status,
    body: (await answer.json()) as { code?: string; handled?: number },
  }
}
const codeOf = async (...call: Parameters<typeof send>) => (await send(...call)).body.code

const secret = 'password: hunter22'

verifies('docs.architecture', 'the earliest stage refuses a call with several faults', async () => {
  const { operator } = apis
  expect(await codeOf('['.repeat(70_000))).toBe('payload_too_large')
  expect(await codeOf('[')).toBe('operator_required')
  expect(await codeOf('[', operator)).toBe('invalid_json')
  expect(await codeOf({ note: secret, allowed: false }, operator)).toBe('invalid_request')
  const denied = { note: secret, allowed: false, idempotency_key: 'stage-1' }
  expect(await codeOf(denied, operator)).toBe('forbidden_material')
  expect(await codeOf({ ...denied, note: 'a' }, operator)).toBe('control_denied')
  expect(handled).toBe(0)
})

verifies(
  'docs.architecture',
  'a stored answer comes after authorize and before handle',
  async () => {
    const { operator } = apis
    const call = { note: 'a', allowed: true, idempotency_key: 'stage-2' }
    expect(await send(call, operator)).toMatchObject({ status: 200, body: { handled: 1 } })
    expect(await send(call, operator)).toMatchObject({ status: 200, body: { handled: 1 } })
    expect(await codeOf({ ...call, note: 'b' }, operator)).toBe('idempotency_conflict')
    expect(await codeOf({ ...call, allowed: false }, operator)).toBe('control_denied')
    expect(handled).toBe(1)
  },
)

verifies('docs.architecture', 'an answer outside its schema is never sent or stored', async () => {
  const call = { note: 'broken', allowed: true, idempotency_key: 'stage-3' }
  expect(await codeOf(call, apis.operator)).toBe('internal_error')
  expect(await codeOf(call, apis.operator)).not.toBeUndefined()
})
