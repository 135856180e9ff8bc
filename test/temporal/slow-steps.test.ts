import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect } from 'vitest'
import { authorizeUpdate, createUpdate } from '../../workflows/payout/messages.ts'
import type { PayoutSnapshot, PayoutSteps, StepResult } from '../../workflows/payout/ports.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'

const quiet = new DefaultLogger('ERROR')
const closers: (() => Promise<void>)[] = []
let client: Client
let connection: NativeConnection
let workflowBundle: Awaited<ReturnType<typeof bundleWorkflowCode>>

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
  const workflowsPath = join(import.meta.dirname, '..', '..', 'workflows', 'index.ts')
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: quiet })
}, 180_000)
afterAll(async () => {
  for (const close of closers) await close()
})

const snapshot = (state: PayoutSnapshot['state']): StepResult => ({
  ok: true,
  snapshot: {
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
  },
})

verifies(
  'durable.slow-steps',
  'steps that hang for longer than a workflow task lasts, while other updates arrive, leave a history that replays',
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
    const worker = await Worker.create({ connection, taskQueue: 'slow', workflowBundle, activities })
    const input = { payoutId: 'po_slow', callId: 'c', staged: 's' }
    const start = new WithStartWorkflowOperation('payout', {
      workflowId: 'po_slow',
      taskQueue: 'slow',
      args: ['po_slow'],
      workflowIdConflictPolicy: 'USE_EXISTING',
    })
    await worker.runUntil(async () => {
      await client.workflow.executeUpdateWithStart(createUpdate, { args: [input], startWorkflowOperation: start })
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
  'updates that come together and end differently leave a history that replays',
  async () => {
    let calls = 0
    const activities: PayoutSteps = {
      loadPayout: async () => null,
      createPayout: async () => {
        calls += 1
        if (calls > 1)
          return { ok: false, refusal: { code: 'grant_released', detail: 'given up', next_action: 'Repeat.' } }
        await sleep(500)
        return snapshot('created')
      },
      authorizePayout: async () => snapshot('authorized'),
      reserveTransfer: async () => snapshot('authorized'),
    }
    const input = { payoutId: 'po_pair', callId: 'c', staged: 's' }
    const creates = [1, 2].map(() => {
      const startWorkflowOperation = new WithStartWorkflowOperation('payout', {
        workflowId: 'po_pair',
        taskQueue: 'pair',
        args: ['po_pair'],
        workflowIdConflictPolicy: 'USE_EXISTING',
      })
      return client.workflow.executeUpdateWithStart(createUpdate, { args: [input], startWorkflowOperation })
    })
    // Both wait for the first worker.
    await sleep(500)
    const worker = await Worker.create({ connection, taskQueue: 'pair', workflowBundle, activities })
    await worker.runUntil(Promise.all(creates))
    const history = await client.workflow.getHandle('po_pair').fetchHistory()
    await expect(Worker.runReplayHistory({ workflowBundle }, history)).resolves.toBeUndefined()
  },
)
