import { afterAll, beforeAll, expect } from 'vitest'
import { exampleOf } from '../../api/examples/index.ts'
import { ProblemError } from '../../api/http/client.ts'
import type { AnyOperation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { trustedAgent } from '../support/registering-agent.ts'
import { sendExample } from '../support/sent-example.ts'
import { verifies } from '../verifies.ts'

/** What the service says of a call that is malformed or that presents nothing. */
const malformed = [
  'invalid_request',
  'invalid_json',
  'unknown_mode',
  'unsupported_media_type',
  'payload_too_large',
  'forbidden_material',
  'credential_required',
  'operator_required',
  'wallet_proof_required',
]
/** An example as the API answered it: its body, or the code of the refusal. */
type Outcome = { readonly code: string; readonly body: object }

let apis: ComposedApis
let outcomes: Map<string, Outcome>
const registry: readonly AnyOperation[] = operations

/** Sends the example of every operation, with all credentials that a caller may have. */
async function sendAll(): Promise<Map<string, Outcome>> {
  const hosts = apis.hosts[0] as { base: string; os: string }
  const sender = await trustedAgent(hosts, apis.operator, {
    requested_scopes: ['runs:read', 'runs:write', 'wallets:read', 'wallets:write', 'signing:use'],
    rails: ['packetops'],
  })
  const sent = new Map<string, Outcome>()
  for (const operation of registry) {
    const answer = await sendExample(apis, sender, operation)
    const outcome =
      answer instanceof ProblemError
        ? { code: answer.code, body: answer.problem }
        : { code: '', body: answer.body as object }
    sent.set(operation.id, outcome)
  }
  return sent
}

beforeAll(async () => {
  apis = await startComposed({ env: { UPDATE_WAIT_MS: '500' } })
  outcomes = await sendAll()
})
afterAll(() => apis?.stop())

verifies('reference.examples', 'the API takes the example of every operation', () => {
  const refused = [...outcomes].filter(([, { code }]) => malformed.includes(code))
  expect(refused).toEqual([])
})

/** Counts by state: their members are what there is. */
const counts = ['live', 'totals']

/** The members of an example that a real answer does not have, in the objects of both. */
function unknownIn(shown: object, real: object, path = ''): string[] {
  return Object.entries(shown).flatMap(([name, part]) => {
    if (counts.includes(name)) return []
    if (!(name in real)) return [`${path}${name}`]
    const other: unknown = real[name as keyof typeof real]
    const isDeeper = [part, other].every(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    )
    return isDeeper ? unknownIn(part, other as object, `${path}${name}.`) : []
  })
}

verifies('reference.examples', 'an example answer has the members of a real one', () => {
  const answered = registry.filter(({ id }) => outcomes.get(id)?.code === '')
  expect(answered.length).toBeGreaterThan(35)
  const differing = answered.flatMap(({ id }) => {
    const unknown = unknownIn(exampleOf({ id }).output, outcomes.get(id)?.body ?? {})
    return unknown.length === 0 ? [] : [`${id}: ${unknown}`]
  })
  expect(differing).toEqual([])
})
