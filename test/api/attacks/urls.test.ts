import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { exampleOf } from '../../../api/examples/index.ts'
import { inside } from '../../support/attack-inputs.ts'
import {
  openAttacked,
  openRows,
  placesIn,
  send,
  withIds,
  withValue,
  writes,
} from '../../support/attacks.ts'
import { verifies } from '../../verifies.ts'

let attacked: Awaited<ReturnType<typeof openAttacked>>
beforeAll(async () => {
  attacked = await openAttacked()
})
afterAll(() => attacked?.apis.stop())

/** Links for people, which the service never asks: on a page of an operator, or in the evidence of a payment. */
const links = /^(payment-links-set|payment-reference-create|agent-credit-fund|allowance-fund)$/
/** Questions and refusals that are recorded. */
const recorded = ['calls', 'pilot_activations', 'production_writes', 'receipts']

verifies('attack.urls', 'no write takes a URL that leads inside', async () => {
  const taken: unknown[] = []
  let asked = 0
  const rows = await openRows(attacked.apis.db)
  for (const operation of writes.filter(({ id }) => !links.test(id))) {
    const input = withIds(exampleOf(operation).input, attacked.ids)
    for (const [path] of placesIn(input)) {
      if (!/^(callback_)?url$/.test(path.at(-1) ?? '')) continue
      asked += 1
      const answers = inside.map(async (url) => {
        const sent = withFreshKey(withValue(input, path, url))
        // A signature by the key in the body would be one for a repeat.
        const { signAsAgent, ...others } = attacked.callers.presents(operation)
        const signs = operation.recalledBy === undefined && signAsAgent ? { signAsAgent } : {}
        const { status, body } = await send(attacked.callers.hosts, operation, sent, {
          ...others,
          ...signs,
        })
        const isRefused = (status >= 400 && status < 500) || body['pass'] === false
        return isRefused ? [] : [[operation.id, path.join('.'), url, status]]
      })
      taken.push(...(await Promise.all(answers)).flat())
      const changed = (await rows.changed()).filter((table) => !recorded.includes(table))
      if (changed.length > 0) taken.push([operation.id, changed])
    }
  }
  expect(taken).toEqual([])
  expect(asked).toBeGreaterThan(12)
})

const withFreshKey = (input: unknown): unknown => ({
  ...Object(input),
  ...('idempotency_key' in Object(input)
    ? { idempotency_key: randomBytes(8).toString('hex') }
    : {}),
})
