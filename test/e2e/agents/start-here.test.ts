import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import type { StartHere } from '../../../api/registry/start-here-shape.ts'
import { railKeys } from '../../../workflows/domain/rails/rail.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

// An agent that knows this document and nothing else.
let stack: TestStack
beforeAll(async () => {
  stack = await startStack({})
}, 200_000)
afterAll(async () => stack?.stop())

type Document = z.output<typeof StartHere>
type Step = Document['steps'][number]
type Json = Record<string, unknown>

const at = (value: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .split('/')
    .reduce((inner, part) => (inner as Json)[part], value)

/** Makes what the document leaves to the caller: keys, idempotency keys and the signature of the handshake. */
function openCaller() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const answers = new Map<string, Json>()
  const signed = (lines: readonly string[]) =>
    sign(null, Buffer.from(lines.join('\n')), privateKey).toString('base64url')
  const own = (name: string, body: Json): unknown => {
    if (name === 'public_key') {
      const { kty, crv, x } = publicKey.export({ format: 'jwk' })
      return { kty, crv, x }
    }
    if (name !== 'signature') return crypto.randomUUID()
    if (body['terms_sha256'] !== undefined)
      return signed([
        'service-agent-acceptance-v1',
        `contract-id: ${at(answers.get('contract-prepare'), '/contract/contract_id')}`,
        `terms-sha256: ${body['terms_sha256']}`,
      ])
    const token = String(answers.get('agent-register')?.['status_token'])
    const values: Json = {
      '<nonce>': body['nonce'],
      '<SHA-256 of the status token, 64 hex>': createHash('sha256').update(token).digest('hex'),
    }
    const lines = (at(answers.get('handshake-read'), '/text') as string[]).map((line) =>
      line.replace(/<.*>/, (place) => String(values[place])),
    )
    return signed(lines)
  }
  return async ({ operation_id, method, url, example_body, replace }: Step): Promise<Json> => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    const body: Json = { ...example_body }
    let called = url
    for (const { place, name, from, pointer } of replace) {
      const value = from === null ? own(name, body) : at(answers.get(from), pointer ?? '')
      if (place === 'body') body[name] = value
      else if (place === 'path') called = called.replace(`{${name}}`, String(value))
      else headers[name] = name === 'Authorization' ? `Bearer ${value}` : String(value)
    }
    const response = await fetch(called, {
      method,
      headers,
      ...(example_body === null ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Json
    expect(response.ok, `${operation_id}: ${JSON.stringify(answer)}`).toBe(true)
    answers.set(operation_id, answer)
    return answer
  }
}

const sold = railKeys.filter((key) => key !== 'contractops')
for (const rail of sold)
  verifies('discovery.start-here', `an agent that follows the document: ${rail}`, async () => {
    const read = await fetch(`${stack.baseUrls[0]}/api/agents-start-here?rail=${rail}`)
    const { steps } = (await read.json()) as Document
    const follow = openCaller()
    let last: Json = {}
    for (const step of steps) {
      last = await follow(step)
      while (step.operation_id === 'get-run-status' && !isOver(last)) last = await follow(step)
    }
    expect(last).toMatchObject({
      return_package: { rail, usage: 'synthetic' },
      completion: { verdict: 'proven' },
    })
  })

const isOver = ({ run }: Json): boolean => (run as { state: string }).state === 'closed'

verifies('discovery.start-here', 'a rail that is not sold is refused by name', async () => {
  const read = await fetch(`${stack.baseUrls[0]}/api/agents-start-here?rail=contractops`)
  expect(read.status).toBe(400)
  expect(await read.json()).toMatchObject({
    code: 'invalid_request',
    errors: [{ pointer: '/rail' }],
  })
})
