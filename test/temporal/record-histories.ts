import { setTimeout as sleep } from 'node:timers/promises'
import { WithStartWorkflowOperation } from '@temporalio/client'
import type { CallbackSnapshot, CallbackSteps } from '../../workflows/callbacks/activities.ts'
import { redeliverSignal } from '../../workflows/callbacks/messages.ts'
import type { PaymentSnapshot, PaymentSteps } from '../../workflows/payments/activities.ts'
import type {
  PayoutSnapshot,
  PayoutSteps,
  SigningSteps,
  StepAnswer,
  StepResult,
  TransferSteps,
} from '../../workflows/payouts/activities.ts'
import { authorizeUpdate, createUpdate, executeUpdate } from '../../workflows/payouts/messages.ts'
import type { ReconciliationSteps } from '../../workflows/reconciliation/activities.ts'
import { wakeSignal } from '../../workflows/shared/signals.ts'
import { saveHistory, type TemporalServer } from './histories.ts'
import { withWorkers } from './recording-workers.ts'

/** What the steps answer in turn on one path; only a history's own results matter to its replay. */
type Path = {
  name: string
  drive: (run: Run) => Promise<void>
  reserve?: Partial<PayoutSnapshot>
  submit?: Partial<PayoutSnapshot>[]
  confirm?: Partial<PayoutSnapshot>[]
  stored?: Partial<PayoutSnapshot>
}
type Run = {
  update(name: 'create' | 'authorize' | 'execute'): Promise<StepAnswer>
  wake(): Promise<void>
  terminate(): Promise<void>
}

const included = {
  transfer: 'included',
  state: 'executed',
  transactionHash: `0x${'1'.repeat(64)}`,
} as const
const final = { ...included, transfer: 'final' } as const
const wholePayout = async (run: Run) => {
  for (const name of ['create', 'authorize', 'execute'] as const) await run.update(name)
}

const paths: Path[] = [
  { name: 'payout-executed-and-final', drive: wholePayout, confirm: [included, final] },
  {
    name: 'payout-signed-when-reserved',
    drive: wholePayout,
    reserve: { transfer: 'signed' },
    confirm: [included, final],
  },
  {
    name: 'payout-refused-then-executed',
    drive: async (run) => {
      await run.update('create')
      await run.update('execute')
      await run.update('authorize')
      await run.update('execute')
    },
    confirm: [included, final],
  },
  {
    name: 'payout-idle-after-create',
    stored: { idleMs: 300 },
    drive: async (run) => void (await run.update('create')),
  },
  {
    name: 'payout-idle-after-authorize',
    stored: { idleMs: 300 },
    drive: async (run) => {
      await run.update('create')
      await run.update('authorize')
    },
  },
  {
    name: 'payout-parked-then-woken',
    drive: async (run) => {
      await wholePayout(run)
      await sleep(300)
      await run.wake()
    },
    submit: [{ transfer: 'signed', parked: 'the token is paused' }, { parked: null }],
    confirm: [{ transfer: 'signed' }, included, final],
  },
  { name: 'payout-slow-to-confirm', drive: wholePayout, confirm: [{}, {}, included, final] },
  {
    name: 'payout-block-vanished',
    drive: wholePayout,
    confirm: [included, { transfer: 'submitted' }, included, final],
  },
  { name: 'payout-dead', drive: wholePayout, confirm: [{}, { transfer: 'dead' }] },
  {
    name: 'payout-nonce-conflict',
    drive: async (run) => {
      await wholePayout(run)
      await sleep(500)
      await run.wake()
      await sleep(300)
      await run.terminate()
    },
    confirm: [{ exception: 'nonce_conflict' }],
  },
  {
    name: 'payout-picked-up',
    stored: { state: 'authorized', transfer: 'submitted' },
    drive: (run) => run.wake(),
    confirm: [included, final],
  },
]

const blank: PayoutSnapshot = {
  payoutId: 'po_1',
  state: 'created',
  creator: `0x${'a'.repeat(40)}`,
  recipient: `0x${'b'.repeat(40)}`,
  amountUsdc: '12.5',
  usage: 'synthetic',
  environment: 'local',
  expiresAt: 1_900_000_000,
  transfer: 'none',
  transactionHash: null,
  parked: null,
  exception: null,
  receipts: [],
  idleMs: 600_000,
}

/** Drives every path of the workflows on a real server, with steps that return the given answers, and saves the histories. */
export async function recordHistories(server: TemporalServer): Promise<void> {
  const { address } = server
  for (const path of paths) await saveHistory(server, await record(address, path), path.name)
  await saveHistory(server, await recordPayment(address), 'payment-settled')
  await saveHistory(server, await recordReconciliation(address), 'reconciliation-with-difference')
  await saveHistory(server, await recordCallback(address), 'callback-retried-then-hurried')
}

function stepsOf(path: Path): PayoutSteps & TransferSteps & SigningSteps {
  let now: PayoutSnapshot = { ...blank, ...path.stored }
  const become = (change: Partial<PayoutSnapshot>): PayoutSnapshot => {
    now = { ...now, ...change }
    return now
  }
  const step =
    (event: 'create' | 'authorize' | 'execute', change: Partial<PayoutSnapshot>) =>
    async (): Promise<StepResult> => {
      if (event === 'execute' && now.state === 'created') return { ok: false }
      return { ok: true, snapshot: become(change) }
    }
  const submits = [...(path.submit ?? [])]
  const confirms = [...(path.confirm ?? [])]
  return {
    loadPayout: async () => now,
    createPayout: step('create', { state: 'created' }),
    authorizePayout: step('authorize', { state: 'authorized' }),
    reserveTransfer: step('execute', path.reserve ?? { transfer: 'reserved' }),
    signTransfer: async () => void become({ transfer: 'signed' }),
    submitTransfer: async () => become(submits.shift() ?? { transfer: 'submitted' }),
    confirmTransfer: async () => become(confirms.shift() ?? {}),
  }
}

async function record(address: string, path: Path): Promise<string> {
  const id = `po_${path.name}`
  return withWorkers(address, stepsOf(path), async (client) => {
    const options = { workflowId: id, taskQueue: 'payouts', args: [id] }
    const updates = { create: createUpdate, authorize: authorizeUpdate, execute: executeUpdate }
    await path.drive({
      update: (name) => {
        const startWorkflowOperation = new WithStartWorkflowOperation('payout', {
          ...options,
          workflowIdConflictPolicy: 'USE_EXISTING',
        })
        const input = { payoutId: id, callId: 'call_1' }
        return client.workflow.executeUpdateWithStart(updates[name] as typeof createUpdate, {
          args: [input],
          startWorkflowOperation,
        })
      },
      wake: async () =>
        void (await client.workflow.signalWithStart('payout', {
          ...options,
          signal: wakeSignal,
          signalArgs: [],
        })),
      terminate: async () => void (await client.workflow.getHandle(id).terminate('recorded')),
    })
    await client.workflow
      .getHandle(id)
      .result()
      .catch(() => undefined)
    return id
  })
}

async function recordPayment(address: string): Promise<string> {
  let now: PaymentSnapshot = {
    paymentId: 'f'.repeat(64),
    state: 'settling',
    payer: `0x${'c'.repeat(40)}`,
    amountUsdc: '0.1',
    operation: 'payout-create',
    transactionHash: null,
    finished: false,
    failure: null,
  }
  const answers: Partial<PaymentSnapshot>[] = [
    { state: 'pending' },
    { state: 'settled' },
    { finished: true },
  ]
  const steps: PaymentSteps = {
    submitPayment: async () => now,
    confirmPayment: async () => {
      now = { ...now, ...answers.shift() }
      return now
    },
  }
  return withWorkers(address, steps, async (client) => {
    const handle = await client.workflow.start('payment', {
      workflowId: 'payment/1',
      taskQueue: 'payouts',
      args: ['f'.repeat(64)],
    })
    await handle.result()
    return handle.workflowId
  })
}

/** Two pages of payouts, a difference that lasts, and one statement that is due. */
async function recordReconciliation(address: string): Promise<string> {
  const due = ['2026-11-20', null]
  let pages = 0
  const steps: ReconciliationSteps = {
    openReconciliation: async ({ scope }) => ({
      scope,
      fromBlock: '1',
      throughBlock: '9',
      settleMs: 100,
    }),
    comparePage: async ({ section }) => ({
      more: section === 'payouts' && pages === 0,
      compared: ++pages,
      suspects: 1,
    }),
    confirmPage: async ({ section }) => ({
      more: false,
      opened: section === 'payouts' ? ['receipt_missing po_1'] : [],
    }),
    closeReconciliation: async () => ({ compared: pages, differences: 1 }),
    makeStatement: async () => due.shift() ?? null,
  }
  return withWorkers(address, steps, async (client) => {
    const handle = await client.workflow.start('reconcile', {
      workflowId: 'reconciliation-1',
      taskQueue: 'payouts',
      args: [{ scope: 'changed' }],
    })
    await handle.result()
    return handle.workflowId
  })
}

/** A host proves itself, the first attempt fails, the second is made when it is due and the third when it is asked for. */
async function recordCallback(address: string): Promise<string> {
  let now: CallbackSnapshot = {
    deliveryId: `cb_${'d'.repeat(64)}`,
    event: 'task_updated',
    host: 'hooks.receiver.example',
    state: 'pending',
    open: true,
    hostProven: false,
    waitMs: 0,
    attempts: 0,
    failures: 0,
    lastFailure: null,
  }
  const failed = { state: 'retrying', lastFailure: 'status_503' } as const
  const answers: Partial<CallbackSnapshot>[] = [
    { ...failed, failures: 1, waitMs: 200 },
    { ...failed, failures: 2, waitMs: 600_000 },
    { state: 'delivered', open: false, waitMs: 0, lastFailure: null },
  ]
  const become = (change: Partial<CallbackSnapshot> = {}) => {
    now = { ...now, attempts: now.attempts + 1, ...change }
    return now
  }
  const steps: CallbackSteps = {
    loadCallback: async () => now,
    proveHost: async () => become({ hostProven: true }),
    deliverCallback: async () => become(answers.shift()),
  }
  return withWorkers(address, steps, async (client) => {
    const handle = await client.workflow.start('callback', {
      workflowId: `callback-${now.deliveryId}`,
      taskQueue: 'payouts',
      args: [now.deliveryId],
    })
    while (now.failures < 2) await sleep(50)
    await handle.signal(wakeSignal)
    await sleep(200)
    await handle.signal(redeliverSignal)
    await handle.result()
    return handle.workflowId
  })
}
