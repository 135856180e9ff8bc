import { BASE_URL, digests, ids, OS_URL, tokens } from './ids.ts'
import { packet } from './packet.ts'
import { challenge, paymentExamples } from './payments.ts'
import { receiptOf, verificationPacket } from './receipts.ts'
import { ledgerEntry, task, taskException } from './tasks.ts'

/** The run of the examples, after its attestation. */
export const closedRun = {
  run_id: ids.run,
  task_id: ids.task,
  task_token: tokens.task,
  state: 'closed',
  waiting_for: [],
  waiting_since: null,
  gaps: [],
  required_action: null,
  next_action: 'Fetch the return package.',
  rail: 'packetops',
  tier: 'standard',
  usage: 'operational',
  loop: {
    step: null,
    index: null,
    steps: [
      {
        step: 'worker',
        state: 'done',
        started_at: '2026-11-24T09:41:00.000Z',
        finished_at: '2026-11-24T09:41:02.000Z',
        output_sha256: digests.result,
        tries: 1,
      },
    ],
  },
  work_order_id: null,
  quote_id: ids.quote,
  entitlement_id: ids.entitlement,
  payment_reference_id: ids.reference,
  return_package_id: ids.returnPackage,
  proof_hash: digests.proof,
  completion_signature:
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImNvbXBsZXRpb24rand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiY29tcGxldGlvbiIsInN1YiI6InJ1biJ9.sUZ3U4-7PSuHDgcStkoIzFHX6Gh2GyXUlSP_SyBuHJHRFa5a5iL1RzdmK091wml3YCycu6MzerP5oa9MkqKSuQ',
  settlement_receipt_id: ids.settlementReceipt,
  usage_receipt_id: ids.usageReceipt,
  links: { ledger: `${OS_URL}/api/agents/tasks/${tokens.task}/ledger` },
} as const

/** The same run while it waits for an operator. */
export const waitingRun = {
  ...closedRun,
  state: 'credit_funded',
  waiting_for: ['review'],
  waiting_since: '2026-11-24T09:32:00.000Z',
  next_action: 'Wait: an operator reviews the request.',
  loop: { step: 'intake', index: 0, steps: [] },
  return_package_id: null,
  proof_hash: null,
  completion_signature: null,
  usage_receipt_id: null,
} as const

export const resultContract = {
  version: 'v2',
  split_version: '1.0',
  settlement_receipt_id: ids.settlementReceipt,
  usage_receipt_id: ids.usageReceipt,
} as const

export const returnPackage = {
  return_package_id: ids.returnPackage,
  run_id: ids.run,
  rail: 'packetops',
  tier: 'standard',
  usage: 'operational',
  partial: false,
  input_sha256: digests.input,
  loop_sha256: digests.loop,
  result_sha256: digests.result,
  manifest_sha256: digests.manifest,
  report_version: 1,
  result: { profile: 'soc2_evidence_packet', readiness: { score: 84 }, complete: false },
  findings: [
    {
      code: 'item_expired',
      detail: 'insurance-certificate.txt expired on 2026-05-31',
      citations: [{ pointer: '/items/4/expires_at', quote: '2026-05-31' }],
    },
  ],
  gaps: [],
  files: [{ name: 'result.json', sha256: digests.result, bytes: 2841 }],
  proof_hash: digests.proof,
  completion_signature:
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImNvbXBsZXRpb24rand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiY29tcGxldGlvbiIsInN1YiI6InJ1biJ9.sUZ3U4-7PSuHDgcStkoIzFHX6Gh2GyXUlSP_SyBuHJHRFa5a5iL1RzdmK091wml3YCycu6MzerP5oa9MkqKSuQ',
  result_contract: resultContract,
} as const

const pack = {
  modes: ['quote_run', 'start_agent_run'],
  rails: ['packetops'],
  prices: paymentExamples['agent-pricing'].output,
  accepted_methods: ['x402_reference', 'payment_reference'],
  sequence: ['quote_run: what the run costs, for 24 hours'],
  example_bodies: {
    read_agent_use_pack: { mode: 'read_agent_use_pack' },
    quote_run: { mode: 'quote_run', rail: 'packetops', tier: 'standard' },
    create_payment_challenge: { mode: 'create_payment_challenge', quote_id: ids.quote },
    start_agent_run: { mode: 'start_agent_run', quote_id: ids.quote },
    get_run_status: { mode: 'get_run_status', run_id: ids.run },
    fetch_return_package: { mode: 'fetch_return_package', run_id: ids.run },
    record_agent_use_receipt: { mode: 'record_agent_use_receipt', run_id: ids.run },
    read_agent_use_runs: { mode: 'read_agent_use_runs' },
  },
} as const

const order = {
  work_order_id: ids.workOrder,
  intake_kind: 'external_agent_request',
  state: 'queued',
  requested_tool_id: 'packetops',
  rail: 'packetops',
  objective: 'A sealed SOC 2 evidence packet for the fourth quarter of 2026.',
  requester: { agent_id: ids.agent },
  agent_id: ids.agent,
  run_id: ids.run,
  run_ids: [ids.run],
  continued_by: null,
  review: { state: 'waiting', decision_id: null },
  created_at: '2026-11-24T09:30:00.000Z',
} as const

const walletRun = {
  wallet_id: ids.allowance,
  payment_intent_id: ids.reference,
  settlement_reference: ids.settlementReceipt,
  receipt_id: ids.usageReceipt,
  work_order: order,
  return_package_target: {
    return_package_id: ids.returnPackage,
    url: `${BASE_URL}/api/agents/status/${tokens.task}/return-package`,
  },
  run: { ...waitingRun, work_order_id: ids.workOrder },
} as const

const started = {
  rail: 'packetops',
  tier: 'standard',
  quote_id: ids.quote,
  input: packet,
  callback_url: 'https://hooks.northwind.example/agent-rails',
  usage: 'operational',
  on_gaps: 'report',
  accept_terms: true,
  idempotency_key: 'packet-q4-run',
} as const

/** One packetops run: bought with a quote, followed until it is attested, and taken. */
export const runExamples = {
  'agent-use-read': { input: { run_id: ids.run }, output: { run: closedRun } },
  'read-agent-use-pack': { input: { mode: 'read_agent_use_pack' }, output: pack },
  'start-agent-run': {
    input: { mode: 'start_agent_run', ...started },
    output: {
      run: {
        ...waitingRun,
        state: 'credit_pending',
        waiting_for: ['credit'],
        next_action: 'Pay the challenge and present the payment.',
        settlement_receipt_id: null,
        payment_reference_id: null,
      },
      challenge,
      receipts: [receiptOf('contract', ids.contract, { state: 'accepted' })],
      result_contract: { ...resultContract, settlement_receipt_id: null, usage_receipt_id: null },
    },
  },
  'get-run-status': {
    input: { mode: 'get_run_status', run_id: ids.run, wait_ms: 20_000 },
    output: { run: closedRun },
  },
  'fetch-return-package': {
    input: { mode: 'fetch_return_package', run_id: ids.run, include_files: false },
    output: {
      return_package: returnPackage,
      file_contents: null,
      completion: {
        verdict: 'proven',
        checks: [{ check: 'proof_hash', ok: true, detail: 'it is the digest of what is signed' }],
        keys: [{ kid: 'receipt-2026-11', standing: 'active' }],
      },
      next_actions: [
        {
          action: 'fetch_receipt',
          method: 'GET',
          url: `${BASE_URL}/api/receipts/${verificationPacket.receipt_id}/bundle`,
          purpose: 'All that verifies the receipt offline.',
        },
      ],
      verification_packet: verificationPacket,
    },
  },
  'return-package-read': {
    input: { as: 'json' },
    output: {
      task,
      ordered: ['A sealed SOC 2 evidence packet for the fourth quarter of 2026.'],
      return_package: returnPackage,
      completion: {
        verdict: 'proven',
        checks: [{ check: 'proof_hash', ok: true, detail: 'it is the digest of what is signed' }],
        keys: [{ kid: 'receipt-2026-11', standing: 'active' }],
      },
      verification_packet: verificationPacket,
      record: {
        verdict: 'proven',
        checks: [
          { check: 'ledger', ok: true, detail: 'each entry has the digest of the one before' },
        ],
        keys: [{ kid: 'receipt-2026-11', standing: 'active' }],
      },
      review_policy: 'operator_review',
      reviews: [
        {
          decision_id: ids.decision,
          subject_kind: 'loop_step',
          decision: 'approve',
          operator_name: 'Lena Brandt',
          receipt_id: ids.usageReceipt,
          decided_at: '2026-11-24T09:41:30.000Z',
        },
      ],
      criteria: [
        {
          criterion: 'Each required section is covered or listed as a gap.',
          met: true,
          verdict: 'met',
          note: 'compared with the list of sections',
        },
      ],
      receipts: [receiptOf('usage', ids.run, { rail: 'packetops' })],
    },
  },
  'record-agent-use-receipt': {
    input: {
      mode: 'record_agent_use_receipt',
      run_id: ids.run,
      receipt_id: ids.usageReceipt,
      accepted: false,
      note: 'The packet names a certificate that is not ours.',
      idempotency_key: 'packet-q4-dispute',
    },
    output: {
      acknowledgement: receiptOf('acknowledgement', ids.run, { accepted: false }),
      ledger_entry: {
        ...ledgerEntry,
        sequence: 16,
        event: 'exception_raised',
        from_state: 'receipt_issued',
        to_state: 'exception_open',
      },
      dispute: { ...taskException, code: 'caller_dispute' },
    },
  },
  'read-agent-use-runs': {
    input: { mode: 'read_agent_use_runs', state: 'closed', rail: 'packetops', limit: 25 },
    output: { items: [closedRun], offset: 0, limit: 25, total: 1, totals: { closed: 1 } },
  },
  'self-serve-loop-read': {
    input: { run_id: ids.run },
    output: {
      run: closedRun,
      completion: {
        criteria: [
          {
            criterion: 'Each required section is covered or listed as a gap.',
            met: true,
            verdict: 'met',
            note: 'compared with the list of sections',
          },
        ],
      },
    },
  },
  'self-serve-loop-submit': {
    input: {
      task_token: tokens.task,
      contract_id: ids.contract,
      input: packet,
      idempotency_key: 'packet-q4-submit',
    },
    output: { run: waitingRun, waiting_for: ['review'] },
  },
  'wallet-run-read': { input: { run_id: ids.run }, output: walletRun },
  'wallet-run-start': {
    input: { ...started, wallet_id: ids.allowance, idempotency_key: 'packet-q4-wallet-run' },
    output: { ...walletRun, status_token: tokens.order },
  },
  'work-orders-read': {
    input: { work_order_id: ids.workOrder },
    output: {
      schema: { type: 'object' },
      example: { intake_kind: 'external_agent_request', requested_tool_id: 'packetops' },
      work_order: order,
      proposals: [],
    },
  },
  'work-order-consent': {
    input: {
      work_order_id: ids.workOrder,
      run_id: ids.run,
      proposed_input_sha256: digests.input,
      note: 'The two invoices are the same; the second one is out.',
      idempotency_key: 'consent-packet-q4',
    },
    output: {
      recovery_request: {
        recovery_id: ids.recovery,
        action: 'correct_input',
        state: 'done',
        needs_review: false,
        input_sha256: digests.input,
        requested_by: ids.workOrder,
        requested_at: '2026-11-24T09:50:00.000Z',
        decided_by: null,
      },
      task,
      exception: {
        ...taskException,
        state: 'resolved',
        proposed_input_sha256: digests.input,
        closed_at: '2026-11-24T09:50:00.000Z',
      },
      receipt: receiptOf('recovery', ids.task, { input_sha256: digests.input }),
    },
  },
  'work-order-decline': {
    input: {
      work_order_id: ids.workOrder,
      run_id: ids.run,
      proposed_input_sha256: digests.input,
      reason: 'The two invoices are of different months; both stay in.',
      idempotency_key: 'decline-packet-q4',
    },
    output: {
      recovery_request: null,
      task,
      exception: {
        ...taskException,
        declined_input: {
          input_sha256: digests.input,
          reason: 'The two invoices are of different months; both stay in.',
          by: `work_order:${ids.workOrder}`,
          at: '2026-11-24T09:50:00.000Z',
        },
      },
      receipt: receiptOf('recovery', ids.recovery, { declined_input_sha256: digests.input }),
    },
  },
  'work-order-create': {
    input: {
      intake_kind: 'external_agent_request',
      requested_tool_id: 'packetops',
      objective: 'A sealed SOC 2 evidence packet for the fourth quarter of 2026.',
      input: packet,
      tier: 'standard',
      requester: { name: 'Northwind GmbH', contact: 'ops@northwind.example' },
      acceptance_criteria: ['Each required section is covered or listed as a gap.'],
      data_declaration: 'no_regulated_or_confidential_data',
      idempotency_key: 'order-2026-11-24',
    },
    output: {
      work_order: {
        ...order,
        requester: { name: 'Northwind GmbH', contact: 'ops@northwind.example' },
        agent_id: null,
      },
      rail_run: waitingRun,
      rail_runs: [waitingRun],
      receipt: receiptOf('intake', ids.workOrder, { runs: 1 }),
      verification_packet: verificationPacket,
      trust_ledger_record: {
        ...ledgerEntry,
        sequence: 1,
        event: 'submit',
        from_state: 'none',
        to_state: 'created',
      },
      status_token: tokens.order,
    },
  },
} as const
