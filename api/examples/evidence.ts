import { evaluated } from './commerce.ts'
import { BASE_URL, digests, ids } from './ids.ts'
import { receiptOf, verificationPacket } from './receipts.ts'

const analysisId = 'an_0f0c1a8d3f5b7c9e2d4a6b8c0e1f3a5d7c9b1e3f5a7d9c0b2e4f6a8d1c3b5e7f'
const item = 'access-policy.md'
const text =
  'Access to production is granted by the security team. Access rights are reviewed every quarter.'
const packet = {
  title: 'Access control evidence',
  required_sections: ['access_policy', 'access_review'],
  items: [{ name: item, section: 'access_policy', text, issued_at: '2026-09-01' }],
  claims: [{ claim: 'Backups are restored every month', item }],
}

const analysis = {
  analysis_id: analysisId,
  analysis_mode: 'fallback',
  model: null,
  findings: [
    {
      finding: 'answered',
      severity: 'info',
      source: 'rules',
      detail: 'Access rights are reviewed every quarter.',
      item,
      citation: {
        pointer: '/packet/items/0/text',
        quote: 'Access rights are reviewed every quarter.',
      },
    },
  ],
  coverage: {
    sections: [
      { section: 'access_policy', required: true, state: 'present' },
      { section: 'access_review', required: true, state: 'missing' },
    ],
    readiness_score: 50,
    questions: 1,
    answered: 1,
  },
  gaps: [{ gap: 'section_missing', kind: 'needed', detail: 'access_review: access_review' }],
  unsupported_claims: [{ claim: 'Backups are restored every month', item, reason: 'not_stated' }],
  as_of: '2026-11-01',
  input_sha256: digests.input,
  usage: 'unspecified',
} as const

const { proof_id, receipt, passport, verification_packet } = evaluated
const proven = {
  analysis,
  proof_id,
  decision: 'human_review_required',
  receipt,
  passport,
  verification_packet,
} as const

const sampleOf = <Shown extends Record<string, unknown>>(fixture_id: string, shown: Shown) => ({
  ...shown,
  sample: true as const,
  usage: 'synthetic' as const,
  fixture_id,
  code_version: '0.1.0',
  persisted: false as const,
  receipt: receiptOf('sample', `sample:${fixture_id}`, { usage: 'synthetic', fixture_id }),
})
const sampledAnalysis = { ...analysis, usage: 'synthetic' } as const

const relayId = 'rly_7d3b5f9a1c3e5d7f9b1a3c5e7f9d1b3a5c7e9f1d3b5a7c9e1f3d5b7a9c1e3f5d'
const event = {
  event_id: ids.usageEvent,
  kind: 'tool_call',
  rail: null,
  units: 1,
  unit: 'relay',
  credit_units: 0,
  entitlement_id: null,
  at: '2026-11-24T09:32:00.000Z',
  occurred_at: '2026-11-24T09:32:00.000Z',
  agent_id: null,
  run_id: null,
  subject: relayId,
  chain: 'service',
  sequence: 42,
  prev_hash: digests.loop,
  hash: digests.proof,
  usage_receipt_id: null,
} as const
const relay = {
  relay_id: relayId,
  receipt_id: ids.settlementReceipt,
  entry_hash: digests.proof,
  state: 'retry_available',
  retry_available: true,
  handoff_ready: false,
  next_endpoint: '/api/model-proof-relay',
} as const
const { analysis: _analysis, decision: _decision, ...signed } = proven

const trialClaims = {
  decision: 'human_review_required',
  analysis_sha256: digests.result,
  packet_sha256: digests.evidence,
}
const trialReceipt = receiptOf('sample', 'sample:free-proof-run', {
  usage: 'synthetic',
  fixture_id: 'free-proof-run',
  ...trialClaims,
})

const standing = {
  agent_id: ids.agent,
  trust_state: 'trusted',
  badge_state: 'active',
  credential_bound: true,
  completed_runs: 31,
  verified_receipts: 62,
  open_exceptions: 0,
  reliability: {
    published: 8,
    synthetic: 0,
    eligible_to_continue: 7,
    human_review_required: 1,
    payment_hold: 0,
  },
  as_of: '2026-11-24T09:32:00.000Z',
} as const
const agentPassport = receiptOf('agent_passport', ids.agent, standing)
const { verified, receipt_id, checks, signature, payload_sha256, verified_at } = verificationPacket

const completion = {
  passport_type: 'receipt_completion',
  completion_state: 'completed',
  movement_type: 'settlement',
  asked_sha256: digests.request,
  payment_reference_id: ids.reference,
  payment_state: 'verified',
  amount_usd: 107,
  settlement_receipt_id: ids.settlementReceipt,
  provider_events: [{ provider: 'tills', event_id: 'evt_4711', type: 'payment.settled' }],
  money_movement: false,
  agent_id: ids.agent,
  event_id: ids.usageEvent,
  entry_hash: digests.proof,
} as const
const completionReceipt = receiptOf('passport', relayId, completion)
const completionSample = sampleOf('provider-receipt-completion', {})

const trialPassport = {
  ...trialReceipt,
  claims: trialClaims,
  verify_url: `${BASE_URL}/api/verify-receipt?receipt=${trialReceipt.jws}`,
}
const { verification_packet: demoPacket } = evaluated
const demo = {
  free_proof: { proof_id, analysis: sampledAnalysis, decision: 'human_review_required', passport },
  analysis_proof_relay: relay,
  ledger: [{ ...event, unit: 'synthetic_relay' }],
  relay_state: 'retry_available',
} as const
const demoSample = {
  ...sampleOf('investor-demo', demo),
  free_proof: { ...demo.free_proof, proof_id: null, passport: trialPassport },
  description: 'A packet is analysed by rules and proven.',
  steps: ['free_proof', 'proof_relay', 'ledger', 'receipt', 'relay_state'],
  model_calls: 0,
  live: { ledger_events: 1204, logged_receipts: 5120 },
} as const
const demoRun = {
  ...demo,
  receipt: receiptOf('relay', relayId, { proof_id, context_sha256: digests.request }),
  context_sha256: digests.request,
  unread_members: ['deck'],
} as const
const demoInput = { evidence: [{ name: item, text }], deck: 'autumn' } as const

export const evidenceExamples = {
  'investor-demo-read': { input: {}, output: demoSample },
  'investor-demo-detail-read': {
    input: {},
    output: { ...demoSample, verification_packet: demoPacket },
  },
  'investor-demo-run': { input: demoInput, output: demoRun },
  'investor-demo-detail-run': {
    input: demoInput,
    output: {
      ...demoRun,
      verification_packet: demoPacket,
      step_timings: [
        { step: 'free_proof', ms: 18 },
        { step: 'proof_relay', ms: 9 },
      ],
    },
  },
  'model-analysis-read': {
    input: { analysis_id: sampledAnalysis.analysis_id },
    output: {
      analysis: sampledAnalysis,
      analysis_sha256: digests.request,
      proof_id,
      proof_url: `${BASE_URL}/api/agent-commerce-proof?proof_id=${proof_id}`,
      made_at: '2026-11-24T09:40:00.000Z',
    },
  },
  'model-analysis-run': {
    input: { packet, questions: ['How often are access rights reviewed?'], force_fallback: true },
    output: { ...proven, guardrails: { calls_left: 20, bytes: 262_144 } },
  },
  'model-relay-read': {
    input: {},
    output: sampleOf('model-proof-relay', {
      analysis_result: sampledAnalysis,
      ledger_entry: { ...event, unit: 'synthetic_relay', sequence: 0, prev_hash: null },
      proof_relay: relay,
    }),
  },
  'model-relay-run': {
    input: { analysis_result: { analysis_id: analysisId } },
    output: {
      analysis_result: analysis,
      proof_id,
      receipt_passport: passport,
      run_ledger: event,
      proof_relay: relay,
      retry_handoff_state: 'retry_available',
      receipt: receiptOf('relay', relayId, { analysis_id: analysisId, proof_id }),
    },
  },
  'free-proof-read': {
    input: {},
    output: {
      ...sampleOf('free-proof-run', {
        proof: { analysis: sampledAnalysis, decision: 'human_review_required' as const },
        verification_packet,
      }),
      passport: trialPassport,
    },
  },
  'free-proof-run': {
    input: { evidence: [{ name: item, text, section: 'access_policy' }] },
    output: {
      ...signed,
      proof: { analysis: sampledAnalysis, decision: 'human_review_required' },
      usage: 'synthetic',
    },
  },
  'agent-passport-read': {
    input: { agent_id: ids.agent },
    output: {
      ...agentPassport,
      claims: standing,
      verify_url: `${BASE_URL}/api/agent-passport`,
    },
  },
  'agent-passport-verify': {
    input: { passport: agentPassport.jws },
    output: {
      verified,
      receipt_id,
      kind: 'agent_passport',
      checks: [
        ...checks.filter(({ check }) => check !== 'log'),
        { check: 'kind', ok: true, detail: 'the kind is agent_passport' },
      ],
      signature,
      payload_sha256,
      verified_at,
      current_claims_differ: ['completed_runs'],
    },
  },
  'receipt-completion-read': {
    input: {},
    output: {
      ...completionSample,
      receipt_passport: {
        ...completionSample.receipt,
        claims: completionSample.receipt.payload,
        verify_url: `${BASE_URL}/api/verify-receipt?receipt_id=${ids.settlementReceipt}`,
      },
      ledger_entry: { ...event, unit: 'synthetic_relay', sequence: 0, prev_hash: null },
      proof_relay: { ...relay, state: 'recorded', retry_available: false },
      completion_state: 'synthetic',
    },
  },
  'receipt-completion-run': {
    input: {
      rail_key: 'packetops',
      movement_amount_units: 107,
      payment_reference: ids.reference,
    },
    output: {
      receipt_passport: {
        ...completionReceipt,
        claims: completionReceipt.payload,
        verify_url: `${BASE_URL}/api/verify-receipt?receipt_id=${ids.settlementReceipt}`,
      },
      ledger_entry: { ...event, rail: 'packetops', agent_id: ids.agent },
      proof_relay: {
        ...relay,
        state: 'recorded',
        retry_available: false,
        handoff_ready: true,
        next_endpoint: '/api/agent-commerce-proof',
      },
      completion_state: 'completed',
    },
  },
} as const
