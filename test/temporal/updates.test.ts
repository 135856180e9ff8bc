import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { WithStartWorkflowOperation } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect } from 'vitest'
import { createChanges } from '../../activities/store/changes.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { durableStep } from '../../temporal/updates.ts'
import { authorizeUpdate, wakeSignal } from '../../workflows/payout/messages.ts'
import type { StepInput } from '../../workflows/payout/ports.ts'
import { startDatabase, type TestDatabase } from '../support/postgres.ts'
import { quietRuntime } from '../support/quiet.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'
import { bundleWorkflows } from './task-rig.ts'

quietRuntime()

let database: TestDatabase
let temporal: Awaited<ReturnType<typeof startTemporal>>
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([startDatabase(), startTemporal()])
  closers.push(database.stop, temporal.stop)
})
afterAll(async () => {
  for (const close of closers) await close()
})

const crowd = { places: 6 }

function deps(address: string, waitMs: number) {
  const { client, close } = createTemporalClient({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
  })
  const changes = createChanges(database.url)
  closers.unshift(changes.close, close)
  return { client, changes, db: database.db, config: { UPDATE_WAIT_MS: waitMs, DEPENDENCY_TIMEOUT_MS: 1_000 } }
}

verifies(
  'durable.contention',
  'of 40 steps of one payout at most 6 are in flight, over all processes, and each of them runs',
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
      Array.from({ length: 40 }, (_, index) => durableStep(processes[index % 2]!, 'po_1', step, crowd)),
    )
    expect(answers.every((answer) => answer === 'done')).toBe(true)
    expect(most).toBeLessThanOrEqual(6)
  },
)

verifies(
  'durable.contention',
  'a step that finds no place in its time is 503 contention; places that end are free again',
  async () => {
    const one = deps(temporal.address, 2_000)
    const hanging = Promise.allSettled(
      Array.from({ length: 6 }, () => durableStep(one, 'po_2', () => sleep(10_000), crowd)),
    )
    const taken = () => database.db.selectFrom('update_leases').select('slot').where('resource', '=', 'po_2').execute()
    while ((await taken()).length < 6) await sleep(20)
    await expect(
      durableStep({ ...one, config: { ...one.config, UPDATE_WAIT_MS: 200 } }, 'po_2', async () => 'never', crowd),
    ).rejects.toThrow('contention')
    await hanging
    expect(await durableStep(one, 'po_2', async () => 'done', crowd)).toBe('done')
  },
)

verifies(
  'durable.unknown-update',
  'a failed update is unknown: it is tried again with a fresh update id until it answers',
  async () => {
    const seen: string[] = []
    const answer = await durableStep(deps(temporal.address, 5_000), 'po_3', async (updateId) => {
      seen.push(updateId)
      if (seen.length < 3) throw new Error('rejected because it was not processed by worker')
      return 'done'
    })
    expect(answer).toBe('done')
    expect(new Set(seen).size).toBe(3)
  },
)

verifies(
  'durable.broken-run',
  'a run whose workflow task fails again and again is ended, and the same call is answered by the next one',
  async () => {
    const one = deps(temporal.address, 60_000)
    const connection = await NativeConnection.connect({ address: temporal.address })
    const start = { workflowId: 'po_5', taskQueue: 'breaks', args: ['po_5'], workflowTaskTimeout: 1_000 }
    const { signaledRunId } = await one.client.workflow.signalWithStart('payout', { ...start, signal: wakeSignal })
    const refused = { ok: false, refusal: { code: 'not_found' } }
    const activities = {
      // What the first run loads is nothing that its code can show.
      loadPayout: async () => (Context.current().info.workflowExecution?.runId === signaledRunId ? {} : null),
      authorizePayout: async () => refused,
    }
    const workflowBundle = await bundleWorkflows()
    const worker = await Worker.create({ connection, taskQueue: 'breaks', workflowBundle, activities })
    const answer = await worker.runUntil(
      durableStep(one, 'po_5', () => {
        const startWorkflowOperation = new WithStartWorkflowOperation('payout', {
          ...start,
          workflowIdConflictPolicy: 'USE_EXISTING',
        })
        const args: [StepInput] = [{ payoutId: 'po_5', callId: 'c' }]
        return one.client.workflow.executeUpdateWithStart(authorizeUpdate, { args, startWorkflowOperation })
      }),
    )
    expect(answer).toEqual(refused)
    const ended = await one.client.workflow.getHandle('po_5', signaledRunId).describe()
    expect(ended.status.name).toBe('TERMINATED')
    await connection.close()
  },
  90_000,
)

verifies('road.dependency-down', 'a Temporal that does not answer is a 503 within 2 s', async () => {
  const dead = deps('127.0.0.1:1', 8_000)
  const begun = performance.now()
  const update = () =>
    dead.client.workflow.start('payout', { workflowId: 'po_4', taskQueue: 'payouts', args: ['po_4'] })
  await expect(durableStep(dead, 'po_4', update)).rejects.toThrow('unavailable')
  expect(performance.now() - begun).toBeLessThan(2_000)
})
