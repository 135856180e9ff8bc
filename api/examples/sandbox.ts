import { BASE_URL, digests, ids, tokens } from './ids.ts'
import { receiptOf } from './receipts.ts'
import { resultContract, waitingRun } from './runs.ts'

/** A run of the sandbox, which the sandbox policy has let into the queue. */
const sandboxRun = {
  ...waitingRun,
  state: 'queued',
  usage: 'synthetic',
  waiting_for: [],
  waiting_since: null,
  next_action: 'Wait: the run is queued.',
  payment_reference_id: null,
} as const

/** A run for a caller without an agent, whose callback is refused once. */
export const sandboxExamples = {
  'agent-sandbox-run': {
    input: { rail: 'packetops', fault: 'callback_failure', idempotency_key: 'sandbox-7' },
    output: {
      run: sandboxRun,
      status_token: tokens.task,
      callback_url: `${BASE_URL}/api/provider-callback-receiver-demo?receiver=${ids.task.slice(0, 37)}&fail=1`,
      receipts: [receiptOf('intake', ids.contract, { task_id: ids.task })],
      result_contract: { ...resultContract, usage_receipt_id: null },
    },
  },
  'agent-sandbox-read': {
    input: {},
    output: { run: sandboxRun, ledger_head: { sequence: 12, hash: digests.ledger } },
  },
} as const
