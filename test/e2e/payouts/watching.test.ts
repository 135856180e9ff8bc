import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { limits } from '#domain/core/limits.ts'
import { readPayout } from '../../../activities/store/payouts/payouts.ts'
import { type Agent, eventually, openRail, type Rail } from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { runCli } from '../../support/cli.ts'
import { problemOf } from '../../support/problems.ts'
import { within } from '../../support/slowness.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

type Received = { headers: IncomingMessage['headers']; text: string; body: Record<string, unknown> }

let stack: TestStack
let rail: Rail
let receiver: Server
let hook: string
const received: Received[] = []
/** What the receiver answers to callbacks in turn, before 200. */
const statuses: number[] = []

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const sent = await text(request)
    const body = JSON.parse(sent) as Record<string, unknown>
    received.push({ headers: request.headers, text: sent, body })
    if (body['event'] === 'host_proof')
      return response.end(JSON.stringify({ nonce: body['nonce'] }))
    return response.writeHead(statuses.shift() ?? 200).end()
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  hook = `${origin}/payouts?secret=1`
  stack = await startStack({
    runWorkers: 0,
    env: { CALLBACK_ALLOW_HOSTS: origin, SWEEP_EVERY_MS: '300', CHAIN_POLL_MS: '100' },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
  receiver?.close()
})

const FINAL = { timeout: 40_000, interval: 200 }
const transferOf = async (payoutId: string) =>
  (await readPayout(rail.db, payoutId))?.transfer?.status
const deliveriesOf = (subject: string) =>
  rail.db
    .selectFrom('callback_deliveries')
    .selectAll()
    .where('subject', '=', subject)
    .orderBy('ordinal')
    .execute()
const execute = (agent: Agent, payout_id: string) =>
  agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
const appliedOf = ({ headers }: { headers: Headers }) => headers.get('preference-applied')
const timed = async <T>(call: () => Promise<T>): Promise<[T, number]> => {
  const began = performance.now()
  return [await call(), performance.now() - began]
}

verifies('status.wait', 'a paid read waits for the next change and is charged once', async () => {
  const agent = await rail.openAgent({ tokens: 10n * limits.priceAtomic })
  const { payout_id } = await rail.authorized(agent)
  const penniless = await rail.openAgent()
  await rail.useUpFreeCalls(agent.address)
  await rail.useUpFreeCalls(penniless.address)
  const before = await rail.balance(agent.address)
  const waiting = timed(() =>
    agent.client.call('payout-status', { payout_id }, { waitSeconds: 20 }),
  )
  await eventually(
    () => rail.balance(agent.address),
    (balance) => balance === before - limits.priceAtomic,
  )
  const done = execute(agent, payout_id)
  const [answer, ms] = await waiting
  expect(appliedOf(answer)).toBe('wait=20')
  expect(answer.body.payout.transfer.status).not.toBe('none')
  expect(ms).toBeLessThan(within(20_000))
  await done
  expect(before - (await rail.balance(agent.address))).toBe(2n * limits.priceAtomic)

  const [refused, refusedMs] = await timed(() =>
    problemOf(
      penniless.client.call('payout-status', { idempotency_key: 'none' }, { waitSeconds: 20 }),
    ),
  )
  expect(['payment_required', 'not_found']).toContain(refused.code)
  expect(refusedMs).toBeLessThan(within(5_000))
})

verifies(
  'status.wait',
  'a read without a change answers after its wait, a final payout at once',
  async () => {
    const agents = await Promise.all([1, 2, 3].map(() => rail.openAgent()))
    const waits = await Promise.all(
      agents.map(async (agent) => {
        const { payout_id } = await rail.create(agent)
        return Array.from({ length: 8 }, () =>
          timed(() => agent.client.call('payout-status', { payout_id }, { waitSeconds: 6 })),
        )
      }),
    )
    const other = await rail.openAgent()
    const [, createMs] = await timed(() => rail.create(other))
    expect(createMs).toBeLessThan(within(5_500))
    for (const [answer, ms] of await Promise.all(waits.flat())) {
      expect(answer.body.payout.state).toBe('created')
      expect(appliedOf(answer)).toBe('wait=6')
      expect(ms).toBeGreaterThan(5_900)
    }
    const agent = await rail.openAgent()
    const { payout_id } = await rail.authorized(agent)
    await execute(agent, payout_id)
    const read = () => agent.client.call('payout-status', { payout_id })
    await expect.poll(() => transferOf(payout_id), FINAL).toBe('final')
    const [answer, ms] = await timed(() =>
      agent.client.call('payout-status', { payout_id }, { waitSeconds: 20 }),
    )
    expect(answer.body.payout.transfer.status).toBe('final')
    expect(ms).toBeLessThan(within(5_000))
    expect(appliedOf(await read())).toBeNull()
  },
)

verifies(
  'payout.callbacks',
  'each change of a payout is called back once, signed, to a proven host',
  async () => {
    const agent = await rail.openAgent()
    const set = await agent.client.call('payout-callback-set', {
      mode: 'set_callback',
      callback_url: hook,
    })
    expect(set.body).toMatchObject({ callback_url: hook, host_proven: false })
    expect(received).toEqual([])
    const silent = await rail.openAgent()
    const [payout, unheard] = [await rail.authorized(agent), await rail.authorized(silent)]
    // Before the payouts, since the first callback may come before their answers.
    statuses.push(500)
    await Promise.all([execute(agent, payout.payout_id), execute(silent, unheard.payout_id)])
    const events = () => received.filter(({ body }) => body['event'] === 'payout_updated')
    const taken = () => new Set(events().map(({ headers }) => headers['webhook-id']))
    await expect.poll(() => transferOf(payout.payout_id), FINAL).toBe('final')
    const states = async () => (await deliveriesOf(payout.payout_id)).map(({ state }) => state)
    await expect.poll(states, FINAL).toEqual(['delivered', 'delivered'])
    expect(await deliveriesOf(unheard.payout_id)).toEqual([])
    expect(taken().size).toBe(2)
    expect(events().length).toBeGreaterThanOrEqual(3)
    expect(received[0]?.body).toMatchObject({ event: 'host_proof' })
    expect(new Set(events().map(({ body }) => body['payout_id']))).toEqual(
      new Set([payout.payout_id]),
    )
    expect(events().map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ state: 'executed', money_moved: 'yes' }),
    )

    const jwks = (await (await fetch(`${stack.baseUrls[0]}/.well-known/jwks.json`)).json()) as {
      keys: (JsonWebKey & { use_for: string })[]
    }
    const keys = jwks.keys.filter(({ use_for }) => use_for === 'callback')
    for (const { headers, text: sent } of received) {
      const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${sent}`)
      const signature = Buffer.from(
        /v1a,(\S+)/.exec(String(headers['webhook-signature']))?.[1] ?? '',
        'base64',
      )
      const verified = keys.some((key) =>
        verify(null, signed, createPublicKey({ key, format: 'jwk' }), signature),
      )
      expect(verified).toBe(true)
    }
    const read = await agent.client.call('payout-callback-read', { mode: 'read_callback' })
    expect(read.body).toMatchObject({ callback_url: hook, host_proven: true })
  },
)

verifies(
  'payout.callbacks.url',
  'internal and plain HTTP targets are refused, null ends callbacks',
  async () => {
    const agent = await rail.openAgent({ wallet: newWallet() })
    const set = (callback_url: string | null) =>
      agent.client.call('payout-callback-set', { mode: 'set_callback', callback_url })
    for (const url of [
      'http://example.com/',
      'https://169.254.169.254/',
      'https://localhost/',
      'https://10.0.0.1/x',
    ])
      expect(await problemOf(set(url)), url).toMatchObject({
        code: 'callback_refused',
        errors: [{ pointer: '/callback_url' }],
      })
    expect((await set('https://hooks.example.com/in')).body.callback_url).toBe(
      'https://hooks.example.com/in',
    )
    expect((await set(null)).body).toEqual({
      callback_url: null,
      changed_at: null,
      host_proven: false,
    })
  },
)

verifies('cli.plain', 'the command line helps on the first day', async () => {
  const agent = await rail.openAgent()
  const { payout_id } = await rail.create(agent)
  const [list, statement, version, prove] = await Promise.all([
    runCli(stack.env, 'recover', 'list'),
    runCli(stack.env, 'statement'),
    runCli(stack.env, '--version'),
    runCli({ ...stack.env, DATA_DIR: '/nowhere' }, 'prove', '/api/payout-status', '{}'),
  ])
  expect(list.text).toMatch(
    new RegExp(`${payout_id}\\n +Payout 1.*waits for its creator to authorize it`),
  )
  expect(statement).toMatchObject({ code: 0, text: expect.stringContaining('no statement yet') })
  expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(prove).toMatchObject({ code: 1, text: expect.stringContaining('/nowhere') })
})
