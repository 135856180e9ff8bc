import * as wf from '@temporalio/workflow'
import { retryOf } from '../shared/local-activities.ts'
import { wakeSignal } from '../shared/signals.ts'
import { timing } from '../shared/timing.ts'
import type { PaymentSnapshot, PaymentSteps } from './activities.ts'

const { startToClose, heartbeat } = timing.chain
const chain = (summary: string) =>
  wf.proxyActivities<PaymentSteps>({
    taskQueue: 'transfers',
    startToCloseTimeout: startToClose,
    heartbeatTimeout: heartbeat,
    retry: retryOf(timing.chain),
    summary,
  })

const viewQuery = wf.defineQuery<PaymentSnapshot | null>('view')

/** Settles one claimed x402 payment: submits it, finds its outcome on chain and watches until that is final. */
export async function payment(paymentId: string): Promise<void> {
  const run = { known: null as PaymentSnapshot | null }
  wf.setHandler(wakeSignal, () => undefined, {
    description: 'Starts a run if none is open, and does nothing else.',
  })
  wf.setHandler(viewQuery, () => run.known, { description: 'The payment as this run knows it.' })

  const learn = (snapshot: PaymentSnapshot): void => {
    run.known = snapshot
    wf.setCurrentDetails(paymentDetails(snapshot))
  }
  while (run.known === null || !run.known.finished) {
    if (run.known?.state !== 'settled')
      learn(await chain('store, then broadcast').submitPayment(paymentId))
    if (run.known?.finished !== true)
      learn(await chain('confirm by the logs').confirmPayment(paymentId))
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof payment>(paymentId)
  }
}

function paymentDetails(payment: PaymentSnapshot): string {
  return [
    `### Fee ${payment.amountUsdc} USDC for ${payment.operation}`,
    '',
    `| | |\n|---|---|\n| state | **${payment.state}** |\n| payer | ${payment.payer} |\n| transaction | ${payment.transactionHash ?? '–'} |\n| last failure | ${payment.failure ?? '–'} |`,
  ].join('\n')
}
