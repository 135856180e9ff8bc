import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import { NativeConnection, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { afterAll, beforeAll, expect } from 'vitest'
import type {
  PayoutSnapshot,
  PayoutSteps,
  StepInput,
  StepResult,
} from '../../workflows/payouts/activities.ts'
import { authorizeUpdate, createUpdate } from '../../workflows/payouts/messages.ts'
import { closeAll } from '../support/close-all.ts'
import { quietRuntime } from '../support/quiet.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'
import { timing } from './short-timing.ts'
import { bundleWorkflows } from './task-fixture.ts'

quietRuntime()
const closers: (() => Promise<void>)[] = []
let client: Client
let connection: NativeConnection
let workflowBundle: WorkflowBundleWithSourceMap

beforeAll(async () => {
  const temporal = await startTemporal()
  const clientConnection = await Connection.connect({ address: temporal.address })
  client = new Client({ connection: clientConnection })
  connection = await NativeConnection.connect({ address: temporal.address })
  closers.push(
    () => clientConnection.close(),
    () => connection.close(),
    temporal.stop,
  )
  workflowBundle = await bundleWorkflows()
})
afterAll(() => closeAll(closers))

const payoutIn = (state: PayoutSnapshot['state']): PayoutSnapshot => ({
  payoutId: 'po_slow',
  state,
  creator: '0x',
  recipient: `0x${'1'.repeat(40)}`,
  amountUsdc: '1',
  usage: 'synthetic',
  environment: 'local',
  expiresAt: null,
  transfer: 'none',
  transactionHash: null,
  parked: null,
  exception: null,
  receipts: [],
  idleMs: 3_600_000,
})
const snapshot = (state: PayoutSnapshot['state']): StepResult => ({
  ok: true,
  snapshot: payoutIn(state),
})
const refused: StepResult = { ok: false }

/** As a payout is started today: `po_NAME` on the queue NAME. */
const startOf = (name: string) =>
  new WithStartWorkflowOperation('payout', {
    workflowId: `po_${name}`,
    taskQueue: name,
    args: [`po_${name}`],
    workflowIdConflictPolicy: 'USE_EXISTING',
  })

/** A worker of short times for the run `po_NAME`, and the calls of its agents. */
async function shortRun(name: string, activities: PayoutSteps) {
  const bundle = await bundleWorkflows('short-timing.ts')
  const worker = await Worker.create({
    connection,
    taskQueue: name,
    workflowBundle: bundle,
    activities,
  })
  const handle = client.workflow.getHandle(`po_${name}`)
  const args: [StepInput] = [{ payoutId: `po_${name}`, callId: 'c' }]
  return {
    bundle,
    worker,
    handle,
    create: () =>
      client.workflow.executeUpdateWithStart(createUpdate, {
        args,
        startWorkflowOperation: startOf(name),
      }),
    authorize: () => handle.executeUpdate(authorizeUpdate, { args }),
  }
}

verifies(
  'durable.slow-steps',
  'hanging steps with updates in between leave a replayable history',
  async () => {
    let slowLeft = 2
    const activities: PayoutSteps = {
      loadPayout: async () => null,
      createPayout: async () => snapshot('created'),
      authorizePayout: async () => {
        // Postgres hangs; what was begun ends behind everybody's back.
        if (slowLeft-- > 0) await sleep(9_000)
        return snapshot('authorized')
      },
      reserveTransfer: async () => snapshot('authorized'),
    }
    const worker = await Worker.create({
      connection,
      taskQueue: 'slow',
      workflowBundle,
      activities,
    })
    const input = { payoutId: 'po_slow', callId: 'c', staged: 's' }
    const start = startOf('slow')
    await worker.runUntil(async () => {
      await client.workflow.executeUpdateWithStart(createUpdate, {
        args: [input],
        startWorkflowOperation: start,
      })
      const handle = client.workflow.getHandle('po_slow')
      const later = [0, 2_000, 5_000].map(async (ms) => {
        await sleep(ms)
        await handle.executeUpdate(authorizeUpdate, { args: [input] })
      })
      await Promise.all(later)
    })
    const history = await client.workflow.getHandle('po_slow').fetchHistory()
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined()
  },
)

verifies(
  'durable.slow-steps',
  'parallel updates with different ends leave a replayable history',
  async () => {
    let calls = 0
    const activities: PayoutSteps = {
      loadPayout: async () => null,
      createPayout: async () => {
        calls += 1
        if (calls > 1) return refused
        await sleep(500)
        return snapshot('created')
      },
      authorizePayout: async () => snapshot('authorized'),
      reserveTransfer: async () => snapshot('authorized'),
    }
    const input = { payoutId: 'po_pair', callId: 'c', staged: 's' }
    const creates = [1, 2].map(() => {
      const startWorkflowOperation = startOf('pair')
      return client.workflow.executeUpdateWithStart(createUpdate, {
        args: [input],
        startWorkflowOperation,
      })
    })
    // Both wait for the first worker.
    await sleep(500)
    const worker = await Worker.create({
      connection,
      taskQueue: 'pair',
      workflowBundle,
      activities,
    })
    await worker.runUntil(Promise.all(creates))
    const history = await client.workflow.getHandle('po_pair').fetchHistory()
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined()
  },
)

verifies(
  'payout.renewed',
  'a payout with endless refused updates renews itself and answers each',
  async () => {
    const activities: PayoutSteps = {
      loadPayout: async () => payoutIn('created'),
      createPayout: async () => snapshot('created'),
      authorizePayout: async () => refused,
      reserveTransfer: async () => refused,
    }
    const { bundle, worker, handle, create, authorize } = await shortRun('often', activities)
    /** As callers do: what fails is unknown and sent again. */
    const insist = async (): Promise<unknown> => {
      try {
        return await authorize()
      } catch {
        return insist()
      }
    }
    const caller = async () => {
      const answers: unknown[] = []
      while (answers.length < 2 * timing.updatesPerRun) answers.push(await insist())
      return answers
    }
    await worker.runUntil(async () => {
      await create()
      const { runId: first } = await handle.describe()
      const answers = await Promise.all([caller(), caller(), caller()])
      expect(answers.flat()).toEqual(Array(3 * 2 * timing.updatesPerRun).fill(refused))
      const last = await handle.describe()
      expect(last).toMatchObject({ status: { name: 'RUNNING' } })
      expect(last.runId).not.toBe(first)
      const ended = await client.workflow.getHandle('po_often', first).describe()
      expect(ended.status.name).toBe('CONTINUED_AS_NEW')
      await Worker.runReplayHistory(
        { workflowBundle: bundle },
        await client.workflow.getHandle('po_often', first).fetchHistory(),
      )
    })
  },
)

verifies(
  ['payout.idle', 'payout.shown'],
  'an idle payout is still shown, and later only its row remains',
  async () => {
    const lies = (state: PayoutSnapshot['state'], idleMs: number): StepResult => ({
      ok: true,
      snapshot: { ...payoutIn(state), idleMs },
    })
    const activities: PayoutSteps = {
      loadPayout: async () => null,
      createPayout: async () => lies('created', 600_000),
      authorizePayout: async () => lies('authorized', 4 * timing.idleCheck.first),
      reserveTransfer: async () => refused,
    }
    const { bundle, worker, handle, create, authorize } = await shortRun('lies', activities)
    await worker.runUntil(async () => {
      await create()
      await authorize()
      await handle.result()
    })
    const history = await handle.fetchHistory()
    const shown = (history.events ?? []).flatMap((event, index) => {
      const state =
        event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields?.[
          'State'
        ]?.data
      return state == null ? [] : [{ index, state: JSON.parse(Buffer.from(state).toString()) }]
    })
    const rung = (history.events ?? []).findIndex(
      (event) => event.timerFiredEventAttributes != null,
    )
    // The first write is that of the create, which the start of a real payout brings with it.
    expect(shown.map(({ state }) => state)).toEqual(['created', 'authorized'])
    expect(shown[1]?.index).toBeGreaterThan(rung)
    await Worker.runReplayHistory({ workflowBundle: bundle }, history)
  },
)
