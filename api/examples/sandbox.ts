import { BASE_URL, digests, ids, OS_URL, tokens } from './ids.ts'
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

const quickstartCall = {
  step: 1,
  operation_id: 'agent-quickstart-run',
  summary:
    'Start a sandbox run on a rail of the quickstart; the answer has the calls for an agent.',
  method: 'POST',
  url: `${BASE_URL}/api/agent-api-quickstart`,
  access: ['public'],
  header: null,
  price: null,
  example_body: { rail: 'packetops', idempotency_key: 'sandbox-7' },
  replace: [
    {
      place: 'body',
      name: 'idempotency_key',
      from: null,
      pointer: null,
      how: 'Any text of your own; a repeat with the same text is one call.',
    },
  ],
  curl: `curl -s -X POST "${BASE_URL}/api/agent-api-quickstart" -H 'Content-Type: application/json' -d '{"rail":"packetops","idempotency_key":"'"$IDEMPOTENCY_KEY"'"}'`,
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
  'agent-quickstart-read': {
    input: { rail: 'packetops' },
    output: {
      allowed_rails: ['packetops', 'energyops', 'distributionops', 'tokenops', 'financeops'],
      rail: 'packetops',
      calls: [quickstartCall],
    },
  },
  'agent-quickstart-run': {
    input: { rail: 'packetops', idempotency_key: 'sandbox-7' },
    output: {
      run: sandboxRun,
      status_token: tokens.task,
      callback_url: null,
      receipts: [receiptOf('intake', ids.contract, { task_id: ids.task })],
      result_contract: { ...resultContract, usage_receipt_id: null },
      calls: [
        {
          ...quickstartCall,
          operation_id: 'handshake-read',
          summary: 'Read a fresh nonce and the text that a handshake signs.',
          method: 'GET',
          url: `${OS_URL}/api/agents/handshake`,
          example_body: null,
          replace: [],
          curl: `curl -s -X GET "${OS_URL}/api/agents/handshake"`,
        },
      ],
    },
  },
  'agent-sandbox-read': {
    input: {},
    output: { run: sandboxRun, ledger_head: { sequence: 12, hash: digests.ledger } },
  },
} as const
