import * as wf from '@temporalio/workflow'
import { backoffUntilMs } from '#domain/core/time.ts'
import { withoutAttentionAfter } from '../shared/attention.ts'
import { retryOf } from '../shared/local-activities.ts'
import { isLong, refuseIfEnding } from '../shared/renewal.ts'
import { wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { PayoutSnapshot, SigningSteps, StepInput, TransferSteps } from './activities.ts'
import { authorizeUpdate, createUpdate, executeUpdate, viewQuery } from './messages.ts'
import { isClosed, isTransferring, PayoutRun } from './run.ts'

/**
 * One payout from its create to the final block. Postgres holds the truth: every run starts from the stored row, so a new run
 * of the same id can continue any payout.
 */
export function payout(payoutId: string): Promise<void> {
  return withoutAttentionAfter(() => runPayout(payoutId))
}

async function runPayout(payoutId: string): Promise<void> {
  const run = new PayoutRun(payoutId)
  setHandlers(run)

  // The first update usually returns the payout; a run without one loads it.
  await run.rest()
  if (run.known === null) await run.load()
  if (run.known === null) {
    const summary = 'waits for its create'
    await wf.condition(() => run.known !== null, timing.waitForCreate, { summary })
  }

  while (run.known !== null && !isClosed(run.known)) {
    // A signal may announce an exception that stops the transfer.
    if (run.woken) await run.load()
    if (isTransferring(run.known)) await advanceTransfer(run, run.known)
    else if (!(await run.rest())) break
    if (isLong(run)) await renew(run)
  }
  await wf.condition(wf.allHandlersFinished)
}

/** Continues the payout in a new run, once the updates that this run accepted are answered. */
async function renew(run: PayoutRun): Promise<never> {
  run.ending = true
  await wf.condition(wf.allHandlersFinished)
  return wf.continueAsNew<typeof payout>(run.payoutId)
}

function setHandlers(run: PayoutRun): void {
  const validator = (_input: StepInput): void => refuseIfEnding(run)
  const wake = (): void => {
    run.woken = true
  }
  wf.setHandler(createUpdate, (input) => run.create(input), {
    validator,
    description: 'Fix the terms and write the created receipt.',
  })
  wf.setHandler(authorizeUpdate, (input) => run.authorize(input), {
    validator,
    description: 'Verify presentation and principal signature and write the authorized receipt.',
  })
  wf.setHandler(executeUpdate, (input) => run.execute(input), {
    validator,
    description:
      'Reserve the transfer under the daily cap; the run then signs, sends and confirms.',
  })
  wf.setHandler(wakeSignal, wake, { description: 'Read the stored payout again and continue.' })
  wf.setHandler(viewQuery, () => run.known, { description: 'The payout as this run knows it.' })
}

const chain = (summary: string) =>
  wf.proxyActivities<TransferSteps>({
    taskQueue: 'transfers',
    startToCloseTimeout: timing.chain.startToClose,
    heartbeatTimeout: timing.chain.heartbeat,
    retry: retryOf(timing.chain),
    summary,
  })
const signing = wf.proxyActivities<SigningSteps>({
  taskQueue: 'signing',
  startToCloseTimeout: timing.signing.startToClose,
  retry: retryOf(timing.chain),
  summary: 'sign the reserved transfer',
})

/** One round for a reserved transfer: sign it, send or resend it, and read its outcome from the chain. */
async function advanceTransfer(
  run: PayoutRun,
  { payoutId, transfer }: PayoutSnapshot,
): Promise<void> {
  if (transfer === 'reserved') await signing.signTransfer(payoutId)
  if (transfer !== 'included')
    run.learn(await chain('store, then broadcast').submitTransfer(payoutId))
  if (run.known?.parked == null) run.blocked = 0
  else await waitToRetry(run)
  const summary = transfer === 'included' ? 'watch until final' : 'confirm by the logs'
  run.learn(await chain(summary).confirmTransfer(payoutId))
}

/**
 * Each consecutive time that a transfer cannot be sent, the wait is longer, but it ends when the authorization does: then the next
 * final block may prove that the transfer was never paid.
 */
function waitToRetry(run: PayoutRun): Promise<void> {
  run.blocked += 1
  const leftMs = (run.known?.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 - Date.now()
  return run.waitForChange(backoffUntilMs(timing.parkedRetry, run.blocked, leftMs))
}
