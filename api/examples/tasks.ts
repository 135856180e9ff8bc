import { entitlement } from './credit.ts'
import { digests, ids, OS_URL, tokens } from './ids.ts'
import { packet } from './packet.ts'
import { challenge } from './payments.ts'
import { receiptOf, verificationPacket } from './receipts.ts'
import { packetopsTiers } from './tiers.ts'

/** The task behind the run of the examples, at work. */
export const task = {
  task_id: ids.task,
  state: 'operating',
  resume_state: null,
  rail: 'packetops',
  tier: 'standard',
  usage: 'operational',
  agent_id: ids.agent,
  run_id: ids.run,
  contract_id: ids.contract,
  quote_id: ids.quote,
  entitlement_id: ids.entitlement,
  updated_at: '2026-11-24T09:41:00.000Z',
  waiting_for: [],
  waiting_since: null,
  gaps: [],
  required_action: null,
  next_action: 'Wait: the run works.',
} as const

const stopped = {
  ...task,
  state: 'exception_open',
  resume_state: 'operating',
  waiting_for: ['evidence'],
  waiting_since: '2026-11-24T09:42:00.000Z',
  gaps: [
    {
      code: 'section_missing',
      kind: 'needed',
      detail: 'incident_response: Incident response plan and its tests',
      filled_by: 'an item of the section',
      pointers: ['/items'],
    },
  ],
  required_action: {
    by: 'agent',
    call: 'POST /api/agents/tasks/{token}/recover',
    arguments: { action: 'supply_evidence', input: '<the whole input>' },
    choices: ['replay', 'abandon'],
    command: null,
  },
  next_action: 'Supply the evidence, replay or abandon.',
} as const

/** One transition of the task. */
export const ledgerEntry = {
  sequence: 11,
  event: 'started',
  from_state: 'queued',
  to_state: 'operating',
  at: '2026-11-24T09:41:00.000Z',
  actor: 'service',
  data_sha256: digests.payload,
  prev_hash: digests.ledgerBefore,
  hash: digests.ledger,
} as const

const contract = {
  contract_id: ids.contract,
  version: 'v2',
  task_id: ids.task,
  rail: 'packetops',
  tier: 'standard',
  usage: 'operational',
  tier_terms: packetopsTiers.standard,
  scope: ['One packetops run on the input of that digest.'],
  acceptance_criteria: ['Each required section is covered or listed as a gap.'],
  review_policy: 'operator_review',
  data_policy: 'Inputs are kept for 30 days and then removed.',
  data_declaration:
    'The agent declares that the input holds no regulated records and no confidential production client data. The service does not detect them.',
  payment: { quote_id: ids.quote, entitlement_id: null },
  terms_sha256: digests.terms,
  state: 'ready',
  accepted_by: null,
  accepted_at: null,
  run_contract: null,
} as const

const accepted = {
  ...contract,
  payment: { quote_id: ids.quote, entitlement_id: ids.entitlement },
  state: 'accepted',
  accepted_by: ids.agent,
  accepted_at: '2026-11-24T09:20:00.000Z',
} as const

/** What stopped the task: a section of the input is missing. */
export const taskException = {
  exception_id: ids.exception,
  task_id: ids.task,
  code: 'evidence_gap',
  detail: 'there is no item of the section incident_response',
  state: 'open',
  resume_state: 'operating',
  allowed_recoveries: ['supply_evidence', 'replay', 'abandon'],
  money_moved: 'yes',
  receipt_id: ids.settlementReceipt,
  proposed_input_sha256: null,
  declined_input: null,
  opened_at: '2026-11-24T09:42:00.000Z',
  closed_at: null,
} as const

const replayPackage = {
  replay_id: ids.replay,
  issuer: 'https://api.agent-rails.example/api/trust-contract',
  code_version: '1',
  task_id: ids.task,
  rail: 'packetops',
  exception_id: ids.exception,
  resume_state: 'operating',
  from_step: 'worker',
  ledger: [{ ...ledgerEntry, data: { run_id: ids.run } }],
  loop_steps: [
    { attempt: 1, round: 0, step: 'intake', verdict: 'done', output_sha256: digests.input },
  ],
  receipts: [
    'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiZXhjZXB0aW9uIiwic3ViIjoidGFzayJ9.X4lKXEk7th8iyDHd0jXeY1t1UXs2vJKpFLtbfOntCSAbdSEmBsnGely28KmG4zFJOykv34SlXs_PF3RcTvNcpw',
  ],
  inputs: [digests.input],
  documents: [{ sha256: digests.input, content: { title: 'SOC 2 evidence, Q4 2026' } }],
  return_package: null,
  keys: {
    keys: [
      {
        kid: 'receipt-2026-11',
        kty: 'OKP',
        crv: 'Ed25519',
        x: 'xp9aDU69AmSUXmphCqvwT60nd76XK0TBvTTbEuPF3SY',
        use_for: 'receipt',
        retired_at: null,
        revoked_at: null,
      },
    ],
  },
  package_sha256: digests.proof,
} as const

const replayFile = {
  replay_package: replayPackage,
  jws: 'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlcGxheS1wYWNrYWdlK2p3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicmVwbGF5X3BhY2thZ2UiLCJzdWIiOiJ0YXNrIn0.aP8Yet_ZhOF9nenggzbY5V4aqhElxjfAmFtJS2f6Rh3OPXCHGGAGj3T4R0qhh_hgtGNQYGK4AkU61lcr38Twsg',
  verify_instructions:
    'Save this answer as FILE, and the key set of the issuer as KEYS; then run: npx agent-rails replay FILE --keys KEYS',
} as const

const links = {
  ledger: `${OS_URL}/api/agents/tasks/${tokens.task}/ledger`,
  exceptions: `${OS_URL}/api/agents/tasks/${tokens.task}/exceptions`,
} as const

/** One packetops task: preflight, contract, an exception, and what proves it all. */
export const taskExamples = {
  preflight: {
    input: {
      rail: 'packetops',
      tier: 'standard',
      input: packet,
      objective: 'A sealed SOC 2 evidence packet for the fourth quarter of 2026.',
      callback_url: 'https://hooks.northwind.example/agent-rails',
      usage: 'operational',
      on_gaps: 'ask',
      idempotency_key: 'packet-q4',
    },
    output: {
      task: {
        ...task,
        state: 'preflight_checked',
        run_id: null,
        contract_id: null,
        quote_id: null,
        entitlement_id: null,
        next_action: 'Prepare the contract: POST /api/agents/contracts.',
      },
      task_token: tokens.task,
      links,
      checks: [
        { check: 'rail', ok: true, detail: 'packetops takes synthetic and operational runs' },
        { check: 'input_sizes', ok: true, detail: 'over 268435456 bytes: 0' },
        { check: 'callback', ok: true, detail: 'hooks.northwind.example answers' },
      ],
      blocking: [],
      readings: [],
    },
  },
  'contract-prepare': {
    input: {
      task_token: tokens.task,
      acceptance_criteria: ['Each required section is covered or listed as a gap.'],
      idempotency_key: 'packet-q4-contract',
    },
    output: { contract, receipt: receiptOf('contract', ids.contract, { state: 'ready' }) },
  },
  'contract-read': { input: { contract_id: ids.contract }, output: { contract: accepted } },
  'contract-accept': {
    input: {
      contract_id: ids.contract,
      terms_sha256: digests.terms,
      quote_id: ids.quote,
      signature:
        'bSHD3kerxsUtteEXSKKDlHGvCo2o3WWV0YU1vDjDeOTkBtWxM1RBH2qgKK7Cfg0ats-6zRv9BODPWKUDsrV8Gw',
      idempotency_key: 'packet-q4-accept',
    },
    output: {
      contract: accepted,
      task: {
        ...task,
        state: 'credit_pending',
        run_id: null,
        waiting_for: ['credit'],
        waiting_since: '2026-11-24T09:20:00.000Z',
        next_action: 'Pay the challenge and present the payment.',
      },
      entitlement: { ...entitlement, state: 'pending', postings: [] },
      challenge,
    },
  },
  'task-ledger': {
    input: { from_sequence: '11', limit: '50' },
    output: {
      task,
      entries: [ledgerEntry],
      head_hash: digests.ledger,
      records: [
        { record_kind: 'quote', record_id: ids.quote, recorded_at: '2026-11-24T09:00:00.000Z' },
        { record_kind: 'task_run', record_id: ids.run, recorded_at: '2026-11-24T09:41:00.000Z' },
      ],
      complete: true,
    },
  },
  'task-attestation': {
    input: {},
    output: {
      attestation: receiptOf('attestation', ids.run, { proof_hash: digests.proof }),
      verification_packet: verificationPacket,
    },
  },
  'task-steps': {
    input: {},
    output: {
      task_id: task.task_id,
      state: 'operating',
      run_id: task.run_id,
      steps: [
        {
          name: 'validator',
          attempt: 1,
          round: 0,
          verdict: 'done',
          started_at: '2026-11-24T09:41:02.000Z',
          ended_at: '2026-11-24T09:41:03.000Z',
          tries: 1,
          decided_by: null,
          output: {
            checks: [
              {
                check: 'root_recomputed',
                ok: true,
                detail: 'the Merkle root, against the leaves hashed pair by pair',
              },
            ],
          },
          output_sha256: '33cc2b17fd26c70f9fd0f60a6a43e4c62ba1fd4ac4ffd79a6ed2a85f7f4aa7a1',
          output_bytes: 118,
        },
      ],
    },
  },
  'task-exceptions': {
    input: { state: 'open' },
    output: {
      items: [taskException],
      allowed_recoveries: ['supply_evidence', 'replay', 'abandon'],
      proposed_input: null,
      waiting_for: stopped.waiting_for,
      waiting_since: stopped.waiting_since,
      gaps: stopped.gaps,
      required_action: stopped.required_action,
      next_action: stopped.next_action,
    },
  },
  'task-exception-raise': {
    input: {
      code: 'caller_dispute',
      detail: 'The packet names a certificate that is not ours.',
      idempotency_key: 'packet-q4-dispute',
    },
    output: {
      exception: {
        ...taskException,
        code: 'caller_dispute',
        detail: 'The packet names a certificate that is not ours.',
        allowed_recoveries: ['supply_evidence', 'correct_input', 'replay', 'abandon'],
      },
      task: stopped,
    },
  },
  'task-proposal-decline': {
    input: {
      proposed_input_sha256: digests.input,
      reason: 'The two certificates are different ones; both stay in.',
      idempotency_key: 'packet-q4-decline',
    },
    output: {
      recovery_request: null,
      task: stopped,
      exception: {
        ...taskException,
        code: 'operator_hold',
        detail: 'one certificate is enough',
        allowed_recoveries: ['correct_input', 'replay', 'abandon'],
        declined_input: {
          input_sha256: digests.input,
          reason: 'The two certificates are different ones; both stay in.',
          by: `agent:${ids.agent}`,
          at: '2026-11-24T09:50:00.000Z',
        },
      },
      receipt: receiptOf('recovery', ids.recovery, { declined_input_sha256: digests.input }),
    },
  },
  'task-recover': {
    input: {
      exception_id: ids.exception,
      action: 'supply_evidence',
      input: {
        title: 'SOC 2 evidence, Q4 2026',
        profile: 'soc2_evidence_packet',
        items: [
          {
            name: 'incident-plan.md',
            section: 'incident_response',
            content: 'Incidents are triaged within one hour.',
          },
        ],
      },
      note: 'The missing section is in the input now.',
      idempotency_key: 'packet-q4-evidence',
    },
    output: {
      recovery_request: {
        recovery_id: ids.recovery,
        action: 'supply_evidence',
        state: 'requested',
        needs_review: true,
        input_sha256: digests.input,
        requested_by: ids.agent,
        requested_at: '2026-11-24T09:50:00.000Z',
        decided_by: null,
      },
      task: stopped,
      exception: { ...taskException, state: 'recovery_requested' },
      receipt: null,
    },
  },
  'task-replay-package': { input: {}, output: replayFile },
  'task-replay-prepare': {
    input: {
      exception_id: ids.exception,
      from_step: 'intake',
      idempotency_key: 'packet-q4-replay',
    },
    output: {
      ...replayFile,
      task: { ...stopped, state: 'replay_ready' },
      receipt: receiptOf('replay_prepared', ids.task, { replay_id: ids.replay }),
    },
  },
} as const
