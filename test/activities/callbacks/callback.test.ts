import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { accessKeyDelivery } from '#domain/agents/onboarding.ts'
import {
  callbackDeliveryId,
  callbackStates,
  callbackTransitions,
} from '#domain/callbacks/callback.ts'
import { callbackBody, type TaskFacts } from '#domain/callbacks/callback-body.ts'
import { grantAccess, recordNotice } from '../../../activities/agents/access.ts'
import { type CallbackDeps, createCallbackSteps } from '../../../activities/callbacks/callback.ts'
import { readCallbackFacts } from '../../../activities/callbacks/facts.ts'
import { receiptSigner } from '../../../activities/container.ts'
import type { SendOutgoing } from '../../../activities/http/outgoing.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { listCredentials } from '../../../activities/store/agents/agent-credentials.ts'
import { listDeliveries } from '../../../activities/store/agents/credential-deliveries.ts'
import {
  addDelivery,
  addRedelivery,
  findDelivery,
  type NewDelivery,
} from '../../../activities/store/callbacks/callback-deliveries.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { bindWallet, setControls } from '../../support/account-controls.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { listAttempts } from '../../support/attempts.ts'
import { startReceiver } from '../../support/callback-receiver.ts'
import { isLate } from '../../support/late.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

const keys = keyRings(generateSigningKeys(new Date()))
const key = keys.callback.active
let database: TestDatabase
let receiver: Awaited<ReturnType<typeof startReceiver>>

beforeAll(async () => {
  database = await startDatabase()
  await publishKeys(database.db, keys)
})
afterAll(async () => {
  await receiver?.stop()
  await database?.stop()
})
beforeEach(async () => {
  await receiver?.stop()
  receiver = await startReceiver(key)
})

const hex = () => randomBytes(32).toString('hex')
let facts: TaskFacts
const steps = (more: Partial<CallbackDeps> = {}) =>
  createCallbackSteps({
    db: database.db,
    log: pino({ level: 'silent' }),
    send: receiver.send,
    keys,
    facts: {
      task_updated: async () => facts,
      credential_ready: async () => ({
        agent_id: 'agt_1',
        credential_id: 'c_1',
        state: 'pending',
        sequence: 0,
      }),
      payout_updated: () => Promise.reject(new Error('no payout is delivered here')),
    },
    demoReceiver: 'http://127.0.0.1:3000/api/provider-callback-receiver-demo',
    posts: { agent: 1_000, untrusted: 1_000, trusted: 1_000 },
    ...more,
  })

async function newDelivery(more: Partial<NewDelivery> = {}): Promise<string> {
  const subject = hex()
  facts = {
    task_token_sha256: subject,
    run_id: 'run_1',
    state: 'callback_pending',
    sequence: 17,
    receipt_ids: ['rc_1'],
  }
  return addDelivery(database.db, {
    owner: `agt_${hex()}`,
    event: 'task_updated',
    subject,
    ordinal: 0,
    url: receiver.url,
    ...more,
  })
}
const outcomes = async (id: string) =>
  (await listAttempts(database.db, id)).map(({ kind, outcome, status, failure }) => ({
    kind,
    outcome,
    status,
    failure,
  }))

verifies(
  ['callback.delivery', 'callback.host-proof'],
  'a proven host gets the callback, signed, with the state of the moment',
  async () => {
    const id = await newDelivery()
    const { loadCallback, proveHost, deliverCallback } = steps()
    expect(await loadCallback(id)).toMatchObject({
      state: 'pending',
      hostProven: false,
      waitMs: 0,
      host: 'hooks.receiver.example',
    })
    expect(await proveHost(id)).toMatchObject({ state: 'pending', hostProven: true, open: true })
    facts = { ...facts, state: 'closed', sequence: 21 }
    expect(await deliverCallback(id)).toMatchObject({
      state: 'delivered',
      open: false,
      attempts: 2,
      failures: 0,
      lastFailure: null,
    })
    const [proof, notified] = receiver.received
    expect([proof?.id, notified?.id, proof?.verified, notified?.verified]).toEqual([
      id,
      id,
      true,
      true,
    ])
    expect(callbackBody.parse(notified?.body)).toMatchObject({
      event: 'task_updated',
      delivery_id: id,
      state: 'closed',
      sequence: 21,
      receipt_ids: ['rc_1'],
    })
    expect(await outcomes(id)).toEqual([
      { kind: 'proof', outcome: 'taken', status: 200, failure: null },
      { kind: 'delivery', outcome: 'taken', status: 200, failure: null },
    ])
    expect(await loadCallback('cb_0')).toBeNull()
  },
)

verifies(
  'callback.host-proof',
  'a host that does not echo is not called: one failed attempt',
  async () => {
    const id = await newDelivery()
    receiver.settings.echo = false
    expect(await steps().proveHost(id)).toMatchObject({
      state: 'retrying',
      hostProven: false,
      failures: 1,
      lastFailure: 'nonce_not_echoed',
    })
    expect(receiver.received.map(({ body }) => body['event'])).toEqual(['host_proof'])
  },
)

verifies(
  'callback.host-proof',
  'a host proof serves one owner for 30 days; demo receivers need none',
  async () => {
    const owner = `agt_${hex()}`
    const first = await newDelivery({ owner })
    await steps().proveHost(first)
    const proven = async (more: Partial<NewDelivery>) =>
      (await steps().loadCallback(await newDelivery(more)))?.hostProven
    expect(await proven({ owner })).toBe(true)
    expect(await proven({})).toBe(false)
    expect(await proven({ owner, url: 'https://other.receiver.example/' })).toBe(false)
    expect(
      await proven({ url: 'http://127.0.0.1:3000/api/provider-callback-receiver-demo?receiver=a' }),
    ).toBe(true)
    expect(await proven({ url: 'http://127.0.0.1:3000/api/other' })).toBe(false)
    await sql`update callback_hosts set proven_at = now() - interval '30 days' where owner = ${owner}`.execute(
      database.db,
    )
    expect(await proven({ owner })).toBe(false)
  },
)

verifies(
  ['callback.delivery', 'callback.schedule'],
  'a refused callback is retried after 5 to 5.5 s, eight times at most',
  async () => {
    const id = await newDelivery()
    for (const status of [500, 302, 404, 429, 503, 400, 500, 500]) receiver.answers.push({ status })
    const { deliverCallback } = steps()
    const begun = performance.now()
    const failed = await deliverCallback(id)
    const passedMs = performance.now() - begun
    expect(failed).toMatchObject({ state: 'retrying', failures: 1, lastFailure: 'status_500' })
    expect(failed.waitMs).toBeGreaterThan(4_990 - passedMs)
    expect(failed.waitMs).toBeLessThanOrEqual(5_500)
    for (let failures = 2; failures < 8; failures++)
      expect(await deliverCallback(id)).toMatchObject({ state: 'retrying', failures })
    expect(await deliverCallback(id)).toMatchObject({ state: 'gave_up', failures: 8, open: false })
    await deliverCallback(id)
    expect(receiver.received).toHaveLength(8)
    expect((await outcomes(id)).map(({ failure }) => failure)).toEqual(
      [500, 302, 404, 429, 503, 400, 500, 500].map((status) => `status_${status}`),
    )
  },
)

verifies('callback.delivery', 'a receiver that answers 410 is not asked again', async () => {
  const id = await newDelivery()
  receiver.answers.push({ status: 503 }, { status: 410 })
  await steps().deliverCallback(id)
  expect(await steps().deliverCallback(id)).toMatchObject({
    state: 'disabled',
    open: false,
    lastFailure: 'status_410',
  })
  await steps().deliverCallback(id)
  expect(receiver.received).toHaveLength(2)
})

verifies(
  'callback.at-least-once',
  'after a crash between send and record the same id is sent again',
  async () => {
    const id = await newDelivery()
    const dies: SendOutgoing = async (request) => {
      await receiver.send(request)
      throw new Error('the process is gone')
    }
    await expect(steps({ send: dies }).deliverCallback(id)).rejects.toThrow('gone')
    expect(await steps().loadCallback(id)).toMatchObject({
      state: 'pending',
      attempts: 1,
      failures: 0,
    })
    expect(await steps().deliverCallback(id)).toMatchObject({
      state: 'delivered',
      attempts: 2,
      failures: 0,
    })
    expect(receiver.received.map((one) => one.id)).toEqual([id, id])
    expect([...receiver.inbox.keys()]).toEqual([id])
    expect((await outcomes(id)).map(({ outcome }) => outcome)).toEqual([null, 'taken'])
  },
)

verifies(
  'callback.at-least-once',
  'parallel attempts count as one failure; a delivery stays delivered',
  async () => {
    const id = await newDelivery()
    const twice = async () => {
      let began = 0
      const send: SendOutgoing = async (request) => {
        began += 1
        while (began < 2) await sleep(5)
        return receiver.send(request)
      }
      await Promise.all([steps({ send }).deliverCallback(id), steps({ send }).deliverCallback(id)])
      return findDelivery(database.db, id)
    }
    receiver.answers.push({ status: 500 }, { status: 500 })
    expect(await twice()).toMatchObject({ state: 'retrying', failures: 1 })
    receiver.answers.push({ status: 200 }, { status: 500 })
    expect(await twice()).toMatchObject({ state: 'delivered' })
    expect(await listAttempts(database.db, id)).toHaveLength(4)
  },
)

verifies('callback.signature', 'with a shared secret a delivery is signed v1 as well', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const id = await newDelivery()
  let sent: { headers?: Record<string, string>; body?: string } = {}
  const watching: SendOutgoing = (request) => {
    sent = request
    return receiver.send(request)
  }
  await steps({ send: watching, secretOf: async () => secret }).deliverCallback(id)
  expect(new Webhook(secret).verify(sent.body ?? '', sent.headers ?? {})).toMatchObject({
    delivery_id: id,
  })
  expect(receiver.received[0]).toMatchObject({
    verified: true,
    signatures: [expect.stringMatching(/^v1a,/), expect.stringMatching(/^v1,/)],
  })
})

/** A credential that an agent with this callback URL can claim, and the delivery of its notice. */
async function grantedCredential() {
  const agent = await registeredAgent(database.db, { contact: { callback_url: receiver.url } })
  const access = { version: 1, scopes: [], rails: [], overlapSeconds: 0, actor: 'Ada' }
  await transaction(database.db, (tx) => grantAccess(tx, agent, access))
  const [credential] = await listCredentials(database.db, agent.agent_id)
  const { credential_id = '' } = credential ?? {}
  const id = callbackDeliveryId(credential_id, 'credential_ready', 1)
  const deliver = () => steps({ facts: readCallbackFacts }).deliverCallback(id)
  return { credential_id, deliver }
}

verifies(
  'callback.delivery',
  'a ready credential is announced, and its callback holds nothing else',
  async () => {
    const { deliver } = await grantedCredential()
    await deliver()
    expect(Object.keys(receiver.received[0]?.body ?? {}).sort()).toEqual([
      'agent_id',
      'at',
      'credential_id',
      'delivery_id',
      'event',
      'sequence',
      'state',
    ])
  },
)

verifies('callback.hosts-now', 'a host that is narrowed away is called no more', async () => {
  const { db } = database
  const { account_id, agent_id } = await registeredAgent(db)
  const signReceipt = receiptSigner(keys)
  const issuer = { issuer: 'https://base.example', environment: 'local', signReceipt }
  const allow = (callback_hosts: string[] | null) =>
    transaction(db, (tx) => setControls(issuer, tx, account_id, { callback_hosts }))
  const wallet = `0x${randomBytes(20).toString('hex')}`
  await transaction(db, (tx) => bindWallet(issuer, tx, account_id, wallet))
  await allow(['hooks.receiver.example'])
  const stored = [await newDelivery({ owner: agent_id }), await newDelivery({ owner: wallet })]
  const [proven] = stored
  expect(await steps().proveHost(String(proven))).toMatchObject({ hostProven: true })
  const before = receiver.received.length
  await allow(['other.example'])
  const refused = { outcome: 'gone', status: null, failure: 'host_not_allowed' }
  for (const [at, id] of stored.entries()) {
    const step = at === 0 ? steps().deliverCallback(id) : steps().proveHost(id)
    const ended = { state: 'disabled', open: false, lastFailure: 'host_not_allowed' }
    expect(await step).toMatchObject(ended)
    expect((await outcomes(id)).at(-1)).toMatchObject(refused)
  }
  expect(receiver.received).toHaveLength(before)
  // Once the account allows it again, a redelivery is sent.
  await allow(null)
  const again = await transaction(db, (tx) => addRedelivery(tx, String(proven)))
  expect(await steps().deliverCallback(String(again))).toMatchObject({ state: 'delivered' })
})

verifies(
  'callback.redelivery',
  'only an ended delivery gets a successor, and only one',
  async () => {
    const id = await newDelivery()
    expect(await addRedelivery(database.db, id)).toBeUndefined()
    await steps().deliverCallback(id)
    const successor = await addRedelivery(database.db, id, 'https://other.receiver.example/')
    expect(successor).not.toBe(id)
    expect(await findDelivery(database.db, successor ?? '')).toMatchObject({
      state: 'pending',
      ordinal: 1,
      url: 'https://other.receiver.example/',
    })
    expect(await addRedelivery(database.db, id)).toBeUndefined()
    expect(await addRedelivery(database.db, 'cb_0')).toBeUndefined()
  },
)

verifies(
  'callback.delivery',
  'a delivery stored twice is one, and the sweep finds it',
  async () => {
    const subject = hex()
    const ids = await Promise.all([1, 2, 3].map(() => newDelivery({ subject })))
    expect(new Set(ids).size).toBe(1)
    const [id = ''] = ids
    expect(await isLate(database.db, id, 60_000)).toBe(false)
    await expect.poll(() => isLate(database.db, id, 1)).toBe(true)
  },
)

verifies(
  'callback.guarded-in-sql',
  'direct SQL moves a delivery only along the table',
  async () => {
    const moves = new Set(
      callbackStates.flatMap((from) =>
        Object.values(callbackTransitions[from]).map((to) => `${from} ${to}`),
      ),
    )
    const reach: Record<string, number[]> = {
      pending: [],
      retrying: [500],
      delivered: [200],
      gave_up: Array(8).fill(500),
      disabled: [410],
    }
    for (const from of callbackStates) {
      for (const to of callbackStates) {
        const id = await newDelivery()
        receiver.answers.push(...(reach[from] ?? []).map((status) => ({ status })))
        for (const _ of reach[from] ?? []) await steps().deliverCallback(id)
        let failures = sql`failures`
        if (to === 'gave_up') failures = sql`8`
        if (to === 'retrying') failures = sql`greatest(1, least(failures, 7))`
        const finished = to === 'pending' || to === 'retrying' ? sql`null` : sql`now()`
        // Only the eighth failure gives up, so the row is brought there first.
        if (from === 'retrying' && to === 'gave_up')
          for (let n = 2; n < 8; n++)
            await sql`update callback_deliveries set failures = ${n} where delivery_id = ${id}`.execute(
              database.db,
            )
        const moved =
          sql`update callback_deliveries set state = ${to}, failures = ${failures}, finished_at = ${finished} where delivery_id = ${id}`.execute(
            database.db,
          )
        if (from === to || moves.has(`${from} ${to}`))
          await expect(moved, `${from} ${to}`).resolves.toBeDefined()
        else
          await expect(moved, `${from} ${to}`).rejects.toThrow(
            /no such delivery transition|check constraint/,
          )
      }
    }
    const id = await newDelivery()
    await steps().deliverCallback(id)
    for (const change of [
      sql`update callback_deliveries set url = 'https://x.example/' where delivery_id = ${id}`,
      sql`update callback_deliveries set owner = 'x' where delivery_id = ${id}`,
      sql`delete from callback_deliveries where delivery_id = ${id}`,
      sql`delete from callback_attempts where delivery_id = ${id}`,
      sql`update callback_attempts set outcome = 'gone', failure = 'x' where delivery_id = ${id}`,
      sql`update callback_attempts set body_sha256 = ${hex()} where delivery_id = ${id}`,
      sql`insert into callback_deliveries (delivery_id, owner, event, subject, ordinal, url, host, state, finished_at) values (${`cb_${hex()}`}, 'o', 'task_updated', 's', 0, 'u', 'h', 'delivered', now())`,
    ])
      await expect(change.execute(database.db)).rejects.toMatchObject({ code: '23514' })
  },
)

const restDay = async () => {
  const { rows } = await sql<{ ms: number }>`select (extract(epoch from
    (((clock_timestamp() at time zone 'utc')::date + 1)::timestamp at time zone 'utc') - clock_timestamp()) * 1000)::float8 as ms`.execute(
    database.db,
  )
  return rows[0]?.ms ?? 0
}

verifies(
  'admission.posts-sent',
  'each request counts; without quota a delivery waits for the next day',
  async () => {
    await sql`delete from callback_posts`.execute(database.db)
    const wallet = `0x${'d'.repeat(40)}`
    const [first, second, other] = [
      await newDelivery({ owner: wallet }),
      await newDelivery({ owner: wallet }),
      await newDelivery({ owner: `0x${'e'.repeat(40)}` }),
    ]
    const quota = { agent: 3, untrusted: 0, trusted: 1_000 }
    const { proveHost, deliverCallback } = steps({ posts: quota })
    await proveHost(first)
    expect(await deliverCallback(first)).toMatchObject({ state: 'delivered' })
    receiver.answers.push({ status: 500 })
    expect(await deliverCallback(second)).toMatchObject({ state: 'retrying', failures: 1 })
    const sent = receiver.received.length
    for (const repeat of [1, 2]) {
      const held = await deliverCallback(second)
      expect(held, String(repeat)).toMatchObject({
        state: 'retrying',
        open: true,
        failures: 1,
        attempts: 1,
      })
      expect(held.lastFailure).toBe('post_quota')
      const left = await restDay()
      expect(held.waitMs).toBeGreaterThan(left - 5_000)
      expect(held.waitMs).toBeLessThan(left + 601_000)
    }
    expect(receiver.received.length).toBe(sent)
    // Another owner still has its own, and all owners without trust have none left.
    expect(await proveHost(other)).toMatchObject({ attempts: 1 })
    const sandboxed = await newDelivery()
    expect(await proveHost(sandboxed)).toMatchObject({
      attempts: 0,
      lastFailure: 'post_quota',
      open: true,
    })
    await sql`update callback_posts set day = day - 1`.execute(database.db)
    expect(await deliverCallback(second)).toMatchObject({
      state: 'delivered',
      attempts: 2,
      lastFailure: null,
    })
  },
)

verifies(
  'admission.posts-sent',
  'of parallel requests exactly as many are sent as the quota allows',
  async () => {
    await sql`delete from callback_posts`.execute(database.db)
    const owner = `0x${'f'.repeat(40)}`
    const deliveries = await Promise.all(Array.from({ length: 12 }, () => newDelivery({ owner })))
    const { proveHost } = steps({ posts: { agent: 5, untrusted: 0, trusted: 100 } })
    const ended = await Promise.all(deliveries.map(proveHost))
    expect(ended.filter(({ attempts }) => attempts === 1)).toHaveLength(5)
    const { rows } =
      await sql`select scope, posts::int as posts from callback_posts order by scope`.execute(
        database.db,
      )
    expect(rows).toEqual([
      { scope: 'all:trusted', posts: 5 },
      { scope: `owner:${owner}`, posts: 5 },
    ])
  },
)

verifies(
  'conform.steps',
  'key delivery is a step only after the receiver took the notice',
  async () => {
    const { credential_id, deliver } = await grantedCredential()
    const taken = () => listDeliveries(database.db, credential_id)
    expect(await taken()).toEqual(accessKeyDelivery.slice(0, 3))
    receiver.answers.push({ status: 500 })
    await deliver()
    expect(await taken()).toEqual(accessKeyDelivery.slice(0, 3))
    await deliver()
    expect(receiver.received.map(({ body }) => body['sequence'])).toEqual([3, 3])
    expect(await taken()).toEqual(accessKeyDelivery.slice(0, 5))
    const again = () =>
      transaction(database.db, (tx) => recordNotice(tx, credential_id, 'callback'))
    await Promise.all([again(), again()])
    expect(await taken()).toEqual(accessKeyDelivery.slice(0, 5))
  },
)
