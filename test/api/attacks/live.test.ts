import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { readTemporal } from '../../e2e/chaos/checker/read-temporal.ts'
import { hostile, inside, malformed, otherTerms } from '../../support/attack-inputs.ts'
import {
  type Callers,
  type Came,
  manyCalls,
  openCallers,
  openRecords,
  placesIn,
  send,
  withIds,
  withValue,
  writes,
} from '../../support/attacks.ts'
import type { ComposedApis } from '../../support/composed-api.ts'
import { startComposedTasks } from '../../support/composed-tasks.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
let owner: Callers
let other: Callers
let ids: ReadonlyMap<string, string>
beforeAll(async () => {
  apis = await startComposedTasks({ ...manyCalls, UPDATE_WAIT_MS: '20000' })
  owner = await openCallers(apis)
  other = await openCallers(apis)
  ids = (await openRecords(apis, owner)).ids
})
afterAll(() => apis?.stop())

/** Every write that counts a workflow of its example in the daily quotas. */
const starting = writes.filter(
  ({ id, uses, input }) =>
    (uses?.((input as z.ZodType).parse(exampleOf({ id }).input) as never).workflows ?? 0) > 0,
)
/** Tests of the service by itself, whose agents begin tasks of their own. */
const suites = /^(agent-harness|external-|credential-test)/
const keyed = starting.filter(
  ({ id, idempotency }) => idempotency.kind === 'body' && !suites.test(id),
)
const ownInput = (operation: AnyOperation) => withIds(exampleOf(operation).input, ids)
const withKey = (input: unknown, key: string) =>
  'idempotency_key' in Object(input) ? { ...Object(input), idempotency_key: key } : input
const freshKey = () => randomBytes(8).toString('hex')
const secret = { idempotencySecret: 'a'.repeat(22) }

/** The answers that are faults of the service, or no refusal where one is expected. */
const faultsOf = (id: string, answers: readonly Came[], isRefused: boolean) =>
  answers.flatMap(({ status, text }) =>
    status >= 500 || (isRefused && status < 400) ? [[id, status, text.slice(0, 200)]] : [],
  )
const tasks = async () => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from tasks`.execute(apis.db)
  return rows[0]?.n ?? 0
}

verifies('attack.live', 'no foreign id starts a workflow', async () => {
  expect(starting.length).toBeGreaterThan(15)
  const before = await tasks()
  const wrong: unknown[] = []
  for (const operation of starting) {
    const input = withKey(ownInput(operation), freshKey())
    const { operator: _none, ...asAgent } = other.presents(operation)
    if (digestOf(ownInput(operation)) === digestOf(exampleOf(operation).input)) continue
    wrong.push(
      ...faultsOf(operation.id, [await send(other.hosts, operation, input, asAgent)], true),
    )
  }
  expect(wrong).toEqual([])
  expect(await tasks()).toBe(before)
})

verifies('attack.live', 'no body of wrong form and no inner URL starts a workflow', async () => {
  const before = await tasks()
  const wrong: unknown[] = []
  for (const operation of starting) {
    const by = owner.presents(operation)
    const input = ownInput(operation)
    const bodies = malformed.map((body) =>
      send(owner.hosts, operation, input, { ...by, body: (json) => body(json, operation) }),
    )
    const places = [...placesIn(input)].filter(([path]) =>
      /^(callback_)?url$/.test(path.at(-1) ?? ''),
    )
    const urls = places.flatMap(([path]) =>
      inside.map((url) => {
        const { signAsAgent, ...others } = by
        const signs = operation.recalledBy === undefined && signAsAgent ? { signAsAgent } : {}
        const sent = withKey(withValue(input, path, url), freshKey())
        return send(owner.hosts, operation, sent, { ...others, ...signs })
      }),
    )
    wrong.push(...faultsOf(operation.id, await Promise.all([...bodies, ...urls]), true))
  }
  expect(wrong).toEqual([])
  expect(await tasks()).toBe(before)
})

verifies('attack.live', 'no hostile text fails a write or its workflow', async () => {
  const wrong: unknown[] = []
  for (const operation of starting.filter(({ id }) => !suites.test(id))) {
    const input = ownInput(operation)
    const places = [...placesIn(input)].flatMap(([path, value]) =>
      typeof value === 'string' && path.at(-1) !== 'mode' ? [path] : [],
    )
    // Each text at one of the places.
    const asked = hostile.map((text, at) =>
      withValue(withKey(input, freshKey()), places[at % places.length] ?? [], text),
    )
    const by = owner.presents(operation)
    const answers = asked.map((one) => send(owner.hosts, operation, one, by))
    wrong.push(...faultsOf(operation.id, await Promise.all(answers), false))
  }
  expect(wrong).toEqual([])
})

verifies(
  'attack.live',
  'of 20 equal writes at once one has an effect, other terms none',
  async () => {
    const wrong: unknown[] = []
    const effective: string[] = []
    for (const operation of keyed) {
      const key = freshKey()
      const input = withKey(ownInput(operation), key)
      const { wallet, ...presented } = owner.presents(operation)
      const headers = 'idempotency_key' in Object(input) ? {} : { 'idempotency-key': key }
      const ask = (body: unknown) =>
        send(owner.hosts, operation, body, {
          ...presented,
          wallet: wallet as never,
          ...secret,
          headers: headers as Record<string, string>,
        })
      const before = await tasks()
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(input)))
      wrong.push(...faultsOf(operation.id, answers, false))
      const made = answers.filter(({ status }) => status < 300)
      if (made.length === 0) continue
      effective.push(operation.id)
      const named = new Set(
        made.map(
          ({ text }) => /"(task|run|workflow|work_order|invitation)_id":"[^"]+"/.exec(text)?.[0],
        ),
      )
      const begun = (await tasks()) - before
      if (named.size !== 1 || begun > 1) wrong.push([operation.id, [...named], begun])
      const terms = otherTerms(operation, input)
      if (terms === undefined) continue
      const { code } = await ask(terms)
      if (code !== 'idempotency_conflict' || (await tasks()) - before !== begun)
        wrong.push([operation.id, code])
    }
    expect(wrong).toEqual([])
    expect(effective.length).toBeGreaterThan(4)
  },
)

verifies('attack.live', 'of 20 equal tests of the service at once one begins', async () => {
  const tests = async () => {
    const { rows } = await sql<{ begun: number; open: number }>`select count(*)::int as begun,
      (count(*) filter (where ended_at is null))::int as open from harness_runs`.execute(apis.db)
    return rows[0] ?? { begun: 0, open: 0 }
  }
  const ended = () => expect.poll(async () => (await tests()).open, { interval: 500 }).toBe(0)
  const played = starting.filter(({ id }) => suites.test(id))
  expect(played.length).toBeGreaterThan(3)
  for (const operation of played) {
    const input = withKey(exampleOf(operation).input, freshKey())
    const by = { ...owner.presents(operation), ...secret }
    await ended()
    const before = (await tests()).begun
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(owner.hosts, operation, input, by)),
    )
    expect(faultsOf(operation.id, answers, false)).toEqual([])
    const made = answers.filter(({ status }) => status < 300)
    expect(new Set(made.map(({ body }) => body['test_run_id'])).size, operation.id).toBe(1)
    expect((await tests()).begun, operation.id).toBe(before + 1)
    const places = [...placesIn(input)].flatMap(([path, value]) =>
      typeof value === 'string' && path.at(-1) !== 'idempotency_key' ? [path] : [],
    )
    const texts = [...hostile, ...inside].flatMap((text) => [
      ...places.map((path) => withValue(input, path, text)),
      { ...Object(input), counterpart_mcp_url: text },
    ])
    const asked = texts.map((text) =>
      send(owner.hosts, operation, withKey(text, freshKey()), { ...by }),
    )
    expect(faultsOf(operation.id, await Promise.all(asked), true)).toEqual([])
    expect((await tests()).begun, operation.id).toBe(before + 1)
  }
  await ended()
})

verifies('attack.live', 'after all of this no workflow has failed', async () => {
  const workflows = () => readTemporal(apis.config.TEMPORAL_ADDRESS)
  // One that has failed stays so; a task that a busy worker took too long for succeeds later.
  const failed = async () =>
    (await workflows()).filter(
      ({ status, taskAttempts }) =>
        !['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW', 'CANCELLED'].includes(status) ||
        taskAttempts > 1,
    )
  await expect.poll(failed).toEqual([])
  expect((await workflows()).length).toBeGreaterThan(10)
})
