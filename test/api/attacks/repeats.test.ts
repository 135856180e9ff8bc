import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { otherTerms } from '../../support/attack-inputs.ts'
import { openAttacked, openRows, send, withIds, writes } from '../../support/attacks.ts'
import { verifies } from '../../verifies.ts'

let attacked: Awaited<ReturnType<typeof openAttacked>>
let rows: Awaited<ReturnType<typeof openRows>>
beforeAll(async () => {
  attacked = await openAttacked()
  rows = await openRows(attacked.apis.db)
})
afterAll(() => attacked?.apis.stop())

const keyed = writes.filter(
  ({ idempotency, id }) => idempotency.kind === 'body' && !id.endsWith('-run'),
)
const secret = { idempotencySecret: 'a'.repeat(22) }
verifies('attack.repeats', 'a key repeats one effect, and other terms are refused', async () => {
  const wrong: unknown[] = []
  const repeated: string[] = []
  for (const operation of keyed) {
    const own = withIds(exampleOf(operation).input, attacked.ids) as Record<string, unknown>
    const idempotency_key = randomBytes(8).toString('hex')
    const isInBody = 'idempotency_key' in own
    const input = isInBody ? { ...own, idempotency_key } : own
    const headers = isInBody ? {} : { 'idempotency-key': idempotency_key }
    const { wallet, ...presented } = attacked.callers.presents(operation)
    const ask = (body: unknown) =>
      send(attacked.callers.hosts, operation, body, {
        ...presented,
        wallet: wallet as never,
        ...secret,
        headers,
      })
    // Two at once, and one later.
    const [one, two] = await Promise.all([ask(input), ask(input)])
    if (one.status >= 300 && two.status >= 300) continue
    await rows.changed()
    const again = await ask(input)
    const changed = await rows.changed()
    const firsts = [one, two].filter(({ status }) => status < 300)
    const isSame = firsts.every(({ body }) => digestOf(body) === digestOf(again.body))
    if (again.status === 202) continue
    repeated.push(operation.id)
    if (!again.replayed || !isSame || changed.length > 0)
      wrong.push([
        operation.id,
        one.status,
        two.status,
        again.status,
        again.replayed,
        isSame,
        changed,
      ])
    const terms = otherTerms(operation, input)
    if (terms === undefined) continue
    const { code } = await ask(terms)
    const written = await rows.changed()
    if (code !== 'idempotency_conflict' || written.length > 0)
      wrong.push([operation.id, code, written])
  }
  expect(wrong).toEqual([])
  expect(repeated.length).toBeGreaterThan(25)
})
