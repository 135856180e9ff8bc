import { randomBytes } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCallbackSteps } from '../../activities/callbacks/callback.ts'
import type { SendOutgoing } from '../../activities/http/outgoing.ts'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings } from '../../activities/keys/key-ring.ts'
import { publishKeys } from '../../activities/keys/publish-keys.ts'
import { addDelivery, findDelivery } from '../../activities/store/callbacks/callback-deliveries.ts'
import { ensureCallback } from '../../temporal/callbacks.ts'
import { CALLBACKS_QUEUE, PAYOUTS_QUEUE } from '../../temporal/queues.ts'
import type { CallbackSnapshot } from '../../workflows/callbacks/activities.ts'
import { viewQuery } from '../../workflows/callbacks/messages.ts'
import { listAttempts } from '../support/attempts.ts'
import { startReceiver } from '../support/callback-receiver.ts'
import { closeAll } from '../support/close-all.ts'
import { startDatabase, type TestDatabase } from '../support/postgres.ts'
import { quietRuntime } from '../support/quiet.ts'
import { redeliver } from '../support/redeliver.ts'
import { startTemporal } from '../support/temporal.ts'
import { bundleWorkflows } from '../support/workflow-bundle.ts'
import { verifies } from '../verifies.ts'

quietRuntime()
const keys = keyRings(generateSigningKeys(new Date()))
const key = keys.callback.active
const closers: (() => Promise<void>)[] = []
let client: Client
let connection: NativeConnection
let workflowConnection: NativeConnection
let database: TestDatabase
let workflowBundle: WorkflowBundleWithSourceMap
let receiver: Awaited<ReturnType<typeof startReceiver>>

beforeAll(async () => {
  database = await startDatabase()
  await publishKeys(database.db, keys)
  closers.unshift(database.stop)
  const temporal = await startTemporal()
  closers.unshift(temporal.stop)
  const clientConnection = await Connection.connect({ address: temporal.address })
  closers.unshift(() => clientConnection.close())
  client = new Client({ connection: clientConnection })
  connection = await NativeConnection.connect({ address: temporal.address })
  closers.unshift(() => connection.close())
  workflowConnection = await NativeConnection.connect({ address: temporal.address })
  closers.unshift(() => workflowConnection.close())
  receiver = await startReceiver(key)
  closers.unshift(receiver.stop)
  workflowBundle = await bundleWorkflows()
})
afterAll(() => closeAll(closers))

/** A worker of each queue, as the program runs them, with another way out where a test brings one. */
async function whileServed<T>(
  act: () => Promise<T>,
  send: SendOutgoing = receiver.send,
): Promise<T> {
  const activities = createCallbackSteps({
    db: database.db,
    log: pino({ level: 'silent' }),
    send,
    keys,
    facts: {
      task_updated: async (_tx, subject) => ({
        task_token_sha256: subject,
        run_id: 'run_1',
        state: 'callback_pending',
        sequence: 17,
        receipt_ids: [],
      }),
      credential_ready: () => Promise.reject(new Error('no credentials here')),
      payout_updated: () => Promise.reject(new Error('no payout is delivered here')),
    },
    demoReceiver: 'http://127.0.0.1:3000/demo',
    posts: { agent: 1_000, untrusted: 1_000, trusted: 1_000 },
  })
  const sender = await Worker.create({ connection, taskQueue: CALLBACKS_QUEUE, activities })
  const worker = await Worker.create({
    connection: workflowConnection,
    taskQueue: PAYOUTS_QUEUE,
    workflowBundle,
  })
  return sender.runUntil(() => worker.runUntil(act))
}

const newDelivery = () =>
  addDelivery(database.db, {
    owner: `agt_${randomBytes(8).toString('hex')}`,
    event: 'task_updated',
    subject: randomBytes(32).toString('hex'),
    ordinal: 0,
    url: receiver.url,
  })
const handleOf = (id: string) => client.workflow.getHandle(`callback-${id}`)
const result = (id: string): Promise<CallbackSnapshot | null> => handleOf(id).result()
const notified = (id: string) =>
  receiver.received.filter((one) => one.id === id && one.body['event'] !== 'host_proof')

async function expectReplays(id: string): Promise<void> {
  const history = await handleOf(id).fetchHistory()
  const text = JSON.stringify(history)
  expect(text).not.toContain('s3cret')
  expect(text).not.toContain(Buffer.from('s3cret').toString('base64').slice(0, 7))
  await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined()
}

verifies(
  ['callback.workflow', 'callback.host-proof'],
  'a failed attempt is followed by a delivery some 5 s later',
  async () => {
    const id = await newDelivery()
    receiver.answers.push({ status: 503 })
    const begun = performance.now()
    const ended = await whileServed(async () => {
      await Promise.all([ensureCallback(client, id), ensureCallback(client, id)])
      return result(id)
    })
    expect(ended).toMatchObject({ state: 'delivered', attempts: 3, failures: 1 })
    expect(performance.now() - begun).toBeGreaterThan(5_000)
    expect(notified(id).map(({ verified }) => verified)).toEqual([true, true])
    expect(receiver.inbox.has(id)).toBe(true)
    await expectReplays(id)
  },
)

verifies('callback.workflow', 'a receiver that answers 410 disables the delivery', async () => {
  const id = await newDelivery()
  receiver.answers.push({ status: 410 })
  await whileServed(() => ensureCallback(client, id).then(() => result(id)))
  expect(await findDelivery(database.db, id)).toMatchObject({ state: 'disabled' })
  expect(notified(id)).toHaveLength(1)
  await expectReplays(id)
})

verifies(
  ['callback.workflow', 'callback.redelivery'],
  'a manual retry does not wait; a failed delivery gets a successor',
  async () => {
    const id = await newDelivery()
    receiver.answers.push(...Array.from({ length: 8 }, () => ({ status: 500 })))
    const successor = await whileServed(async () => {
      await ensureCallback(client, id)
      for (let failures = 1; failures < 8; failures++) {
        await expect.poll(() => handleOf(id).query(viewQuery)).toMatchObject({ failures })
        expect(await redeliver({ client, db: database.db }, id)).toBe(id)
      }
      expect(await result(id)).toMatchObject({ state: 'gave_up', failures: 8 })
      const next = (await redeliver({ client, db: database.db }, id)) ?? ''
      expect(await result(next)).toMatchObject({
        state: 'delivered',
        hostProven: true,
        attempts: 1,
      })
      return next
    })
    expect([notified(id).length, notified(successor).length]).toEqual([8, 1])
    await expectReplays(id)
  },
)

verifies(
  ['callback.workflow', 'callback.at-least-once'],
  'an attempt cut off after sending is repeated under the same id',
  async () => {
    const id = await newDelivery()
    let sends = 0
    const cutOff: SendOutgoing = async (request) => {
      const answer = await receiver.send(request)
      if (!request.body?.includes('task_updated')) return answer
      sends += 1
      throw new Error('the connection to the database is gone')
    }
    await whileServed(async () => {
      await ensureCallback(client, id)
      await expect.poll(() => sends).toBeGreaterThan(0)
    }, cutOff)
    expect(await whileServed(() => result(id))).toMatchObject({ state: 'delivered', failures: 0 })
    expect(sends).toBeGreaterThan(0)
    expect(notified(id)).toHaveLength(sends + 1)
    expect([...receiver.inbox.keys()].filter((one) => one === id)).toHaveLength(1)
    const attempts = await listAttempts(database.db, id)
    expect(attempts.filter(({ outcome }) => outcome === null)).toHaveLength(sends)
    await expectReplays(id)
  },
)

verifies(
  'callback.workflow',
  'a terminated run is replaced and continues from the stored delivery',
  async () => {
    const id = await newDelivery()
    receiver.answers.push({ status: 500 })
    await whileServed(async () => {
      await ensureCallback(client, id)
      await expect.poll(() => handleOf(id).query(viewQuery)).toMatchObject({ failures: 1 })
      await handleOf(id).terminate()
      await ensureCallback(client, id)
      expect(await result(id)).toMatchObject({ state: 'delivered', failures: 1 })
    })
    expect(notified(id)).toHaveLength(2)
  },
)
