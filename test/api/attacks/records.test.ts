import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { waysOf } from '../../../api/operation.ts'
import {
  type Callers,
  manyCalls,
  openCallers,
  openRecords,
  openRows,
  send,
  withIds,
  writes,
} from '../../support/attacks.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
let owner: Callers
let other: Callers
let records: Awaited<ReturnType<typeof openRecords>>
let rows: Awaited<ReturnType<typeof openRows>>
beforeAll(async () => {
  apis = await startComposed({ env: manyCalls })
  owner = await openCallers(apis)
  other = await openCallers(apis)
  records = await openRecords(apis, owner)
  rows = await openRows(apis.db)
})
afterAll(() => apis?.stop())

/** What anyone may ask about any record: the answer says only that the caller has no such thing, or denies and records that. */
const harmless: Readonly<Record<string, object>> = {
  'draft-mandate': { mandate_id: undefined, signed_mandate: undefined },
  'inspect-mandate': { valid: false },
  'evaluate-action': { decision: 'deny' },
  'receipt-completion-run': { completion_state: 'unmatched' },
}
/** The tables of refusals and answers that are recorded. */
const recorded = [
  'authority_decisions',
  'authority_drafts',
  'calls',
  'pilot_activations',
  'proof_relays',
  'receipts',
  'usage_events',
]

verifies('attack.records', 'no write touches a record of another agent', async () => {
  const found: unknown[] = []
  let asked = 0
  for (const operation of writes) {
    const input = withIds(exampleOf(operation).input, records.ids)
    const ways = waysOf(operation)
    if (digestOf(input) === digestOf(exampleOf(operation).input)) continue
    const { operator: _none, ...asAgent } = other.presents(operation)
    const callers = [
      ...(ways.includes('agent') || ways.includes('status') ? [asAgent] : []),
      ...(ways.includes('public') ? [{}, { agent: other.agent.credential }] : []),
    ]
    for (const caller of callers) {
      asked += 1
      const { status, text, body } = await send(other.hosts, operation, input, caller)
      const changed = (await rows.changed()).filter((table) => !recorded.includes(table))
      const said = harmless[operation.id]
      const isHarmless = said === undefined ? status >= 400 && status < 500 : holds(body, said)
      if (!isHarmless || changed.length > 0)
        found.push([operation.id, status, text.slice(0, 200), changed])
    }
  }
  expect(found).toEqual([])
  expect(asked).toBeGreaterThan(40)
})

const holds = (body: Record<string, unknown>, said: object): boolean =>
  Object.entries(said).every(([name, value]) => body[name] === value)
