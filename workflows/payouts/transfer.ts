import * as wf from '@temporalio/workflow'
import { backoffUntilMs } from '#domain/core/backoff.ts'
import { retryOf } from '../shared/retry.ts'
import { timing } from '../shared/timing.ts'
import type { PayoutSnapshot, SigningSteps, TransferSteps } from './activities.ts'
import type { PayoutRun } from './run.ts'

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
export async function advanceTransfer(
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
