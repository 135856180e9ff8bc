import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { exampleOf } from '../../../api/examples/index.ts'
import { type Agent, nowSeconds, openRail, type Rail } from '../../support/agent.ts'
import { freshKey } from '../../support/agent-use.ts'
import { hostile, inside, malformed } from '../../support/attack-inputs.ts'
import { manyCalls, placesIn, send, withValue, writes } from '../../support/attacks.ts'
import { newWallet } from '../../support/chain.ts'
import { expectExecutedOnce, insist } from '../../support/faults.ts'
import { codeOf, problemOf } from '../../support/problems.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { startTlsServer } from '../../support/tls-server.ts'
import { verifies } from '../../verifies.ts'
import { readTemporal } from '../chaos/checker/read-temporal.ts'

// The writes whose workflow no daily quota counts; test/api/attacks/live.test.ts has the others.
const ids = /^(payout-(create|authorize|execute|callback-set)|directory-submit)$/
const attacked = writes.filter(({ id }) => ids.test(id))

const posted: string[] = []
let receiver: Awaited<ReturnType<typeof startTlsServer>>
let stack: TestStack
let rail: Rail
beforeAll(async () => {
  receiver = await startTlsServer((request, response) => {
    posted.push(String(request.url))
    response.writeHead(202).end()
  })
  const at = `https://localhost:${receiver.port}`
  stack = await startStack({
    runWorkers: 0,
    env: {
      ...manyCalls,
      UPDATE_WAIT_MS: '20000',
      DIRECTORIES: `open.example ${at}/in, inside.example https://127.0.0.1/in`,
      CALLBACK_ALLOW_HOSTS: at,
      NODE_EXTRA_CA_CERTS: join(import.meta.dirname, '..', '..', 'support', 'tls', 'authority.pem'),
    },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  await receiver?.stop()
})

const hosts = () => ({ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string })
/** What an allowed caller presents, as a wallet of its own. */
const presents = () => ({
  origin: hosts().base,
  operator: stack.accounts.operator.credential,
  wallet: newWallet().account,
})
/** What these writes leave: rows of payouts, transfers and submissions, and posts to the directory. */
async function effects() {
  const count = async (table: 'payouts' | 'transfers' | 'directory_submissions') => {
    const { rows } = await rail.db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('rows'))
      .executeTakeFirstOrThrow()
    return Number(rows)
  }
  const tables = ['payouts', 'transfers', 'directory_submissions'] as const
  return { rows: await Promise.all(tables.map(count)), posts: posted.length }
}
const execute = ({ client }: Agent, payout_id: string, idempotency_key = 'execute') =>
  client.call('payout-execute', { payout_id, idempotency_key })

verifies('attack.live', 'no wallet moves a payout of another one', async () => {
  const [owner, other] = [await rail.openAgent(), await rail.openAgent()]
  const [created, authorized] = [await rail.create(owner), await rail.authorized(owner)]
  const before = await effects()
  const terms = { expiresAt: nowSeconds() + 3_600, idempotencyKey: 'authorize' }
  const authorization = await rail.treasury.authorize(created, terms)
  const foreign = [
    other.client.call('payout-authorize', authorization),
    execute(other, created.payout_id),
    execute(other, authorized.payout_id),
    execute(other, `po_${'0'.repeat(64)}`),
  ]
  for (const { status } of await Promise.all(foreign.map(problemOf)))
    expect([403, 404]).toContain(status)
  expect(await effects()).toEqual(before)
  const stateOf = async (payout_id: string) =>
    (await owner.client.call('payout-status', { payout_id })).body.payout.state
  expect(await stateOf(created.payout_id)).toBe('created')
  expect(await stateOf(authorized.payout_id)).toBe('authorized')
})

verifies('attack.live', 'no wrong form, inner URL or hostile text moves money', async () => {
  expect(attacked.map(({ id }) => id).sort()).toHaveLength(5)
  const before = await effects()
  const wrong: unknown[] = []
  for (const operation of attacked) {
    const { input } = exampleOf(operation)
    const forms = malformed.map((body) =>
      send(hosts(), operation, input, { ...presents(), body: (json) => body(json, operation) }),
    )
    const places = [...placesIn(input)].flatMap(([path, value]) =>
      typeof value === 'string' && path.at(-1) !== 'mode' ? [path] : [],
    )
    const urls = places
      .filter((path) => path.at(-1) === 'callback_url')
      .flatMap((path) =>
        inside.map((url) => send(hosts(), operation, withValue(input, path, url), presents())),
      )
    for (const { status, text } of await Promise.all([...forms, ...urls]))
      if (status < 400 || status >= 500) wrong.push([operation.id, status, text.slice(0, 200)])
    const texts = hostile.flatMap((text) =>
      places.map((path) => send(hosts(), operation, withValue(input, path, text), presents())),
    )
    for (const { status, text } of await Promise.all(texts))
      if (status >= 500) wrong.push([operation.id, status, text.slice(0, 200)])
  }
  expect(wrong).toEqual([])
  const submit = { directory: 'inside.example', idempotency_key: freshKey() }
  expect(await codeOf(operatorOf(stack).call('directory-submit', submit))).toBe('callback_refused')
  const after = await effects()
  // A text may be the memo of a payout, which is not authorized.
  expect([after.rows.slice(1), after.posts]).toEqual([before.rows.slice(1), before.posts])
})

verifies('attack.live', 'of 20 equal calls at once one pays, and one submits', async () => {
  const at20 = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, call))
  const agent = await rail.openAgent()
  const before = await effects()
  const terms = rail.terms()
  const created = await at20(() => insist(() => agent.client.call('payout-create', terms)))
  const [{ payout }] = created.map(({ body }) => body) as [(typeof created)[number]['body']]
  const bounds = { expiresAt: nowSeconds() + 3_600, idempotencyKey: 'authorize' }
  const authorization = await rail.treasury.authorize(payout, bounds)
  await at20(() => insist(() => agent.client.call('payout-authorize', authorization)))
  const executed = await at20(() => insist(() => execute(agent, payout.payout_id)))
  for (const { body } of executed) expect(body.payout.payout_id).toBe(payout.payout_id)
  await expectExecutedOnce(rail, (await insist(() => execute(agent, payout.payout_id))).body)
  const other = agent.client.call('payout-create', { ...terms, amount_usdc: '2' })
  expect(await codeOf(other)).toBe('idempotency_conflict')

  const submission = { directory: 'open.example', idempotency_key: freshKey() }
  const submit = () => operatorOf(stack).call('directory-submit', submission)
  const ofDirectory = await at20(submit)
  expect(new Set(ofDirectory.map(({ body }) => body.submission.submission_id)).size).toBe(1)
  const [payouts = 0, transfers = 0, submissions = 0] = before.rows
  const one = { rows: [payouts + 1, transfers + 1, submissions + 1], posts: before.posts + 1 }
  await expect.poll(effects).toEqual(one)
  const dry = operatorOf(stack).call('directory-submit', { ...submission, dry_run: true })
  expect(await codeOf(dry)).toBe('idempotency_conflict')
  expect(await effects()).toEqual(one)
})

verifies('attack.live', 'after these attacks no workflow has failed', async () => {
  const failed = async () =>
    (await readTemporal(stack.temporalAddress)).filter(
      ({ status, taskAttempts }) =>
        !['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW'].includes(status) || taskAttempts > 1,
    )
  await expect.poll(failed).toEqual([])
})
