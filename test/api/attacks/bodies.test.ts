import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { isObject } from '#domain/core/plain-object.ts'
import { rails } from '#domain/rails/index.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { hasBody } from '../../../api/http-method.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { malformed } from '../../support/attack-inputs.ts'
import {
  type Callers,
  isNamedByCallers,
  manyCalls,
  openCallers,
  openRows,
  placesIn,
  send,
  withValue,
  writes,
} from '../../support/attacks.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
let callers: Callers
let rows: Awaited<ReturnType<typeof openRows>>
beforeAll(async () => {
  apis = await startComposed({ env: manyCalls })
  callers = await openCallers(apis)
  rows = await openRows(apis.db)
})
afterAll(() => apis?.stop())

const withBody = writes.filter(({ http, stream }) => hasBody(http.method) && stream === undefined)
const parses = ({ input }: AnyOperation, value: unknown) => (input as z.ZodType).safeParse(value)

/** What only this service derives or an operator decides; no caller says it. */
const derived = {
  activation: 'complete',
  converted_to_paid: true,
  decision: 'approve',
  decided_by: 'operator:1',
  next_step: 'paid',
  production_ready: true,
  reached: true,
  settled: true,
  state: 'closed',
  trust_state: 'trusted',
  verified: true,
}

verifies('attack.members', 'no write takes a member that its schema does not name', () => {
  const taken: string[] = []
  const judge = (name: string, input: unknown, reads: (value: unknown) => boolean) => {
    for (const [path, value] of placesIn(input)) {
      if (!isObject(value)) continue
      for (const [member, said] of Object.entries(derived))
        if (!(member in value) && reads(withValue(input, [...path, member], said)))
          taken.push(`${name} ${pointerOf(path)}`)
    }
  }
  for (const operation of withBody)
    judge(operation.id, exampleOf(operation).input, (value) => parses(operation, value).success)
  expect(new Set(taken.filter((place) => !isNamedByCallers(place)))).toEqual(new Set())
  taken.length = 0
  for (const { key, input, sandboxInput } of rails)
    judge(key, sandboxInput, (value) => input.safeParse(value).success)
  expect(new Set(taken)).toEqual(new Set())
})

/** The bodies of an operation that are not refused, each named by its number; all of them write nothing. */
async function unrefused(
  operation: AnyOperation,
  bodies: readonly ((json: string, operation: AnyOperation) => string | Uint8Array)[],
) {
  const answers = await Promise.all(
    bodies.map(async (body) =>
      send(callers.hosts, operation, exampleOf(operation).input, {
        ...callers.presents(operation),
        body: (json) => body(json, operation),
      }),
    ),
  )
  const taken = answers.flatMap(({ status, code, text }, index) =>
    status >= 400 && status < 500 && code !== 'undefined' ? [] : [[index, status, text]],
  )
  const changed = await rows.changed()
  return taken.length + changed.length === 0 ? [] : [[operation.id, taken, changed]]
}

const members = [
  '"decision":"approve","settled":true,',
  '"__proto__":{"polluted":true,"decision":"approve"},',
  '"constructor":{"prototype":{"polluted":true}},',
  '"toString":1,"hasOwnProperty":null,',
]

verifies(
  'attack.members',
  'a member that sets a prototype or a decision does nothing',
  async () => {
    const strict = withBody.filter(({ id }) => !isNamedByCallers(`${id} `))
    const bodies = members.map((member) => (json: string) => json.replace('{', `{${member}`))
    const wrong: unknown[] = []
    for (const operation of strict) wrong.push(...(await unrefused(operation, bodies)))
    expect(wrong).toEqual([])
    expect('polluted' in {}).toBe(false)
  },
)

verifies('attack.malformed', 'a body of wrong form is refused and writes nothing', async () => {
  const taking = withBody.filter(({ input }) => Object.keys(input.shape ?? {}).length > 0)
  const wrong: unknown[] = []
  for (const operation of taking) wrong.push(...(await unrefused(operation, malformed)))
  expect(wrong).toEqual([])
})
