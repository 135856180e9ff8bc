import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { type Client, WithStartWorkflowOperation } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { createChanges } from '../../activities/store/postgres/changes.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { durableStep } from '../../temporal/updates.ts'
import { notifyPayment } from '../../temporal/workflow-starts.ts'
import type { StepInput } from '../../workflows/payouts/activities.ts'
import { authorizeUpdate } from '../../workflows/payouts/messages.ts'
import { wakeSignal } from '../../workflows/shared/signals.ts'
import { nowSeconds } from '../support/agent.ts'
import { closeAll } from '../support/close-all.ts'
import { wakeOlderThan } from '../support/late.ts'
import { leastMs } from '../support/least-ms.ts'
import { insertAuthorizedPayout, insertReservedTransfer } from '../support/payout-rows.ts'
import { startDatabase, type TestDatabase } from '../support/postgres.ts'
import { quietRuntime } from '../support/quiet.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'
import { bundleWorkflows } from './task-fixture.ts'

quietRuntime()

let database: TestDatabase
let temporal: Awaited<ReturnType<typeof startTemporal>>
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([startDatabase(), startTemporal()])
  closers.push(database.stop, temporal.stop)
})
afterAll(() => closeAll(closers))

const slots = 6
const refused = { ok: false }

/** A run that loads what its code cannot show, and the worker that serves it; later runs of it load nothing. */
async function brokenRun(client: Client, workflowId: string) {
  const taskQueue = `breaks-${workflowId}`
  const start = { workflowId, taskQueue, args: [workflowId], workflowTaskTimeout: 1_000 }
  const { signaledRunId: runId } = await client.workflow.signalWithStart('payout', {
    ...start,
    signal: wakeSignal,
  })
  const activities = {
    loadPayout: async () => (Context.current().info.workflowExecution?.runId === runId ? {} : null),
    authorizePayout: async () => refused,
  }
  const connection = await NativeConnection.connect({ address: temporal.address })
  closers.unshift(() => connection.close())
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
    activities,
  })
  return { start, runId, worker }
}

const statusOf = async (client: Client, workflowId: string, runId: string) =>
  (await client.workflow.getHandle(workflowId, runId).describe()).status.name

/** A payout of 0.01 USDC whose transfer is reserved. */
async function insertTransfer(payoutId: string): Promise<void> {
  const [creator, recipient, wallet] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [
    string,
    string,
    string,
  ]
  const terms = {
    recipient,
    amount_atomic: '10000',
    memo: 'm',
    rail_reference: 'r',
    usage: 'synthetic' as const,
  }
  const rest = { asset: `0x${'4'.repeat(40)}`, payout_wallet: wallet, terms_sha256: '5'.repeat(64) }
  const who = { payout_id: payoutId, creator, idempotency_key: payoutId }
  await insertAuthorizedPayout(database.db, { ...who, ...terms, ...rest }, nowSeconds() + 3600)
  await insertReservedTransfer(database.db, payoutId)
}

function deps(address: string, waitMs: number) {
  const { client, close } = createTemporalClient({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
  })
  const changes = createChanges(database.url)
  closers.unshift(changes.close, close)
  return {
    client,
    changes,
    db: database.db,
    config: { UPDATE_WAIT_MS: waitMs, DEPENDENCY_TIMEOUT_MS: 1_000 },
  }
}

verifies(
  'durable.contention',
  'all 40 steps of one payout run, at most 6 at once over all processes',
  async () => {
    const processes = [deps(temporal.address, 20_000), deps(temporal.address, 20_000)]
    let inFlight = 0
    let most = 0
    const step = async () => {
      most = Math.max(most, ++inFlight)
      await sleep(30)
      inFlight -= 1
      return 'done'
    }
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        durableStep(processes[index % 2]!, { workflowId: 'po_1', send: step, slots }),
      ),
    )
    expect(answers.every((answer) => answer === 'done')).toBe(true)
    expect(most).toBeLessThanOrEqual(6)
  },
)

verifies(
  'durable.contention',
  'a step without a slot is 503 contention; ended steps free slots',
  async () => {
    const one = deps(temporal.address, 2_000)
    const hang = { workflowId: 'po_2', send: () => sleep(10_000), slots }
    const hanging = Promise.allSettled(Array.from({ length: 6 }, () => durableStep(one, hang)))
    const taken = () =>
      database.db
        .selectFrom('update_leases')
        .select('slot')
        .where('resource', '=', 'po_2')
        .execute()
    while ((await taken()).length < 6) await sleep(20)
    await expect(
      durableStep(
        { ...one, config: { ...one.config, UPDATE_WAIT_MS: 200 } },
        { workflowId: 'po_2', send: async () => 'never', slots },
      ),
    ).rejects.toThrow('contention')
    await hanging
    expect(await durableStep(one, { workflowId: 'po_2', send: async () => 'done', slots })).toBe(
      'done',
    )
  },
)

verifies(
  'durable.unknown-update',
  'a failed update is retried with a new update id until it answers',
  async () => {
    const seen: string[] = []
    const send = async (updateId: string) => {
      seen.push(updateId)
      if (seen.length < 3) throw new Error('rejected because it was not processed by worker')
      return 'done'
    }
    const one = deps(temporal.address, 5_000)
    const answer = await durableStep(one, { workflowId: 'po_3', send })
    expect(answer).toBe('done')
    expect(new Set(seen).size).toBe(3)
  },
)

verifies(
  'durable.broken-run',
  'a broken run is ended, and the next run answers the same call',
  async () => {
    const one = deps(temporal.address, 60_000)
    const { start, runId, worker } = await brokenRun(one.client, 'po_5')
    const answer = await worker.runUntil(
      durableStep(one, {
        workflowId: 'po_5',
        send: () => {
          const startWorkflowOperation = new WithStartWorkflowOperation('payout', {
            ...start,
            workflowIdConflictPolicy: 'USE_EXISTING',
          })
          const args: [StepInput] = [{ payoutId: 'po_5', callId: 'c' }]
          return one.client.workflow.executeUpdateWithStart(authorizeUpdate, {
            args,
            startWorkflowOperation,
          })
        },
      }),
    )
    expect(answer).toEqual(refused)
    expect(await statusOf(one.client, 'po_5', runId)).toBe('TERMINATED')
  },
)

verifies(
  'durable.broken-run',
  'the sweep ends only the broken run of a transfer, without any call',
  async () => {
    const { client, db } = deps(temporal.address, 60_000)
    const [payoutId, other] = [`po_${'6'.repeat(64)}`, `po_${'7'.repeat(64)}`]
    for (const id of [payoutId, other]) await insertTransfer(id)
    const { start, runId, worker } = await brokenRun(client, payoutId)
    const healthy = await client.workflow.signalWithStart('payout', {
      ...start,
      workflowId: other,
      signal: wakeSignal,
    })
    await worker.runUntil(async () => {
      const swept = async () => {
        await wakeOlderThan(client, db)
        return statusOf(client, payoutId, runId)
      }
      await expect.poll(swept, { interval: 500 }).toBe('TERMINATED')
    })
    expect(await statusOf(client, other, healthy.signaledRunId)).toBe('RUNNING')
  },
)

verifies('recovery.wakes', 'a row that cannot be woken does not hold up the others', async () => {
  const { client, db } = deps(temporal.address, 60_000)
  await sql`delete from late_wakes`.execute(db)
  const ids = ['8', '9', 'a', 'b'].map((digit) => `po_${digit.repeat(64)}`)
  for (const id of ids) await insertTransfer(id)
  const [bad, ...others] = ids as [string, ...string[]]
  const workflow = Object.create(client.workflow, {
    signalWithStart: {
      value: (type: string, options: { workflowId: string }) =>
        options.workflowId === bad
          ? Promise.reject(new Error('this one is refused'))
          : client.workflow.signalWithStart(type, options as never),
    },
  })
  const refusing: Client = Object.create(client, { workflow: { value: workflow } })
  await expect.poll(() => wakeOlderThan(refusing, db).then(() => attemptsOf(db, bad))).toBe(1)
  for (const id of others) {
    const { status } = await client.workflow.getHandle(id).describe()
    expect(status.name).toBe('RUNNING')
  }
  // Where none can be woken, the wakes count for nothing.
  await sql`delete from late_wakes`.execute(db)
  await expect(wakeOlderThan(deps('127.0.0.1:1', 8_000).client, db)).rejects.toThrow()
  for (const id of ids) expect(await attemptsOf(db, id)).toBe(0)
})

/** How often the row was woken since it stands in its state. */
async function attemptsOf(db: Kysely<Database>, id: string): Promise<number> {
  const row = await db
    .selectFrom('late_wakes')
    .select('attempts')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.attempts ?? 0
}

verifies(
  'pipeline.dependency-down',
  'a Temporal that does not answer is a 503 within 2 s',
  async () => {
    const dead = deps('127.0.0.1:1', 8_000)
    const update = () =>
      dead.client.workflow.start('payout', {
        workflowId: 'po_4',
        taskQueue: 'payouts',
        args: ['po_4'],
      })
    const step = () =>
      expect(durableStep(dead, { workflowId: 'po_4', send: update })).rejects.toThrow('unavailable')
    expect(await leastMs(2_000, step)).toBeLessThan(2_000)
  },
)

verifies(
  'pipeline.dependency-down',
  'payment does not wait for an absent Temporal: the sweep settles',
  async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    for (const address of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
      const { client } = deps(address, 8_000)
      const notify = () => notifyPayment(client, `0x${'6'.repeat(64)}`)
      expect(await leastMs(4_000, notify)).toBeLessThan(4_000)
    }
    silent.close()
  },
)
