import { offlineSteps } from '#domain/commerce/packet.ts'
import { commerceChecks } from '#domain/commerce/result.ts'
import { keysUrlOf } from '#domain/verification/key-document.ts'
import { BASE_URL, digests, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

const proofId = 'cp_f74e3cd4c6f2f4b8a2ed4d1a1ec1d4fba93f3f5d5b0f2d1f8f9f0f3b1c7a6d55'
const activityId = 'ca_f74e3cd4c6f2f4b8a2ed4d1a1ec1d4fba93f3f5d5b0f2d1f8f9f0f3b1c7a6d55'
const at = '2026-11-24T09:32:00.000Z'
const delivered = 'Hosting in November 2026 cost 412.80 USD, 3.1 % less than in October.'
const deliveredSha256 = '85f2394d3b8953c15daa60e8ca4d4c7a3616c3972a0952fbc21885f33d145664'
const claim = 'Hosting in November 2026 cost 412.80 USD'
const packageSha256 = digests.manifest

const outcomes: Readonly<Record<string, { outcome: 'passed'; detail: string }>> = {
  hashes: { outcome: 'passed', detail: 'every digest was computed again' },
  required_items: { outcome: 'passed', detail: 'a free_proof has what it needs' },
  claims: { outcome: 'passed', detail: 'each claim stands in the item that it names' },
  policy: { outcome: 'passed', detail: 'no claim goes beyond what a proof shows' },
  duplicates: { outcome: 'passed', detail: 'no earlier proof is of this package' },
}
const unneeded: Readonly<Record<string, string>> = {
  evidence_age: 'there is no evidence',
  evidence_owner: 'no evidence names a receipt',
  payment: 'a free_proof needs no payment',
  authority: 'a free_proof needs no agent',
  protocol: 'no record says whether it was http',
}
const checks = commerceChecks.map((check) => ({
  check,
  reason: null,
  ...(outcomes[check] ?? { outcome: 'not_needed' as const, detail: unneeded[check] ?? '' }),
}))

const shared = {
  proof_id: proofId,
  agent_id: null,
  credential_bound: false,
  mission_kind: 'free_proof',
  mission_sha256: digests.terms,
  package_sha256: packageSha256,
  decision: 'eligible_to_continue',
} as const
const unspecified = (kind: string, facts: Record<string, unknown>) => ({
  ...receiptOf(kind, proofId, { ...facts, usage: 'unspecified' }),
  usage: 'unspecified' as const,
})
const passportClaims = {
  ...shared,
  passport_type: 'agent_commerce',
  commerce_receipt_id: ids.usageReceipt,
  trust_state: null,
}

export const evaluated = {
  proof_id: proofId,
  decision: 'eligible_to_continue',
  reasons: [],
  mission: {
    mission_id: 'hosting-report-2026-11',
    kind: 'free_proof',
    objective: 'Report what hosting cost in November.',
  },
  agent: { agent_id: null, name: 'Ledger reader', wallet: null, credential_bound: false },
  protocol_binding: 'http',
  usage: 'unspecified',
  receipt: unspecified('commerce', {
    ...shared,
    protocol_binding: null,
    request_sha256: digests.request,
    packet_sha256: digests.evidence,
    checks: checks.map(({ check, outcome, reason }) => ({ check, outcome, reason })),
    money_movement: false,
  }),
  passport: {
    ...unspecified('passport', passportClaims),
    claims: passportClaims,
    verify_url: `${BASE_URL}/api/verify-receipt?receipt_id=${ids.settlementReceipt}`,
  },
  verification_packet: {
    proof_id: proofId,
    request_sha256: digests.request,
    package_sha256: packageSha256,
    inputs: [{ kind: 'artifact', name: 'report.md', sha256: deliveredSha256, recomputed: true }],
    claims: [{ claim, artifact: 'report.md', state: 'bound', forbidden: null }],
    checks,
    payment: null,
    keys_url: keysUrlOf(BASE_URL),
    offline_verification: offlineSteps(BASE_URL),
  },
  persistence: {
    state: 'persisted',
    published: false,
    publication_consent: false,
    activity_id: null,
    review_state: null,
    review_decision_id: null,
    evaluated_at: at,
    record_url: `${BASE_URL}/api/agent-commerce-proof?proof_id=${proofId}`,
  },
  log_state: 'pending',
  money_movement: false,
} as const

export const commerceExamples = {
  'commerce-proof-evaluate': {
    input: {
      schema_version: 'v1',
      mission: evaluated.mission,
      agent: { name: 'Ledger reader' },
      return_package: {
        artifacts: [{ name: 'report.md', sha256: deliveredSha256, content: delivered }],
        claims: [{ claim, artifact: 'report.md' }],
      },
      protocol_binding: 'http',
      idempotency_key: 'proof-2026-0117',
    },
    output: evaluated,
  },
  'commerce-proof-read': {
    input: { proof_id: proofId },
    output: {
      proof_id: proofId,
      decision: 'eligible_to_continue',
      checks: checks.map(({ check, outcome, reason }) => ({ check, outcome, reason })),
      mission_kind: 'free_proof',
      agent_id: null,
      protocol_binding: null,
      usage: 'unspecified',
      package_sha256: packageSha256,
      packet_sha256: digests.evidence,
      receipt: evaluated.receipt,
      passport: evaluated.passport,
      persistence: evaluated.persistence,
      log_state: 'included',
      money_movement: false,
    },
  },
  'activity-feed-read': {
    input: { mission_kind: 'rail_run', limit: '10' },
    output: {
      items: [
        {
          activity_id: activityId,
          proof_id: proofId,
          agent_id: ids.agent,
          mission_kind: 'rail_run',
          protocol_binding: 'mcp',
          usage: 'operational',
          decision: 'eligible_to_continue',
          reviewed: false,
          receipt_id: ids.usageReceipt,
          passport_receipt_id: ids.settlementReceipt,
          evaluated_at: at,
          published_at: '2026-11-24T09:40:00.000Z',
          verify_url: `${BASE_URL}/api/verify-receipt?receipt_id=${ids.usageReceipt}`,
        },
      ],
      reliability_profiles: [
        {
          agent_id: ids.agent,
          published: 8,
          synthetic: 0,
          eligible_to_continue: 7,
          human_review_required: 1,
          payment_hold: 0,
          eligible_percent: 87,
          first_published_at: '2026-10-02T08:00:00.000Z',
          last_published_at: '2026-11-24T09:40:00.000Z',
        },
      ],
      publication_policy: {
        conditions: [
          'bound_to_credential',
          'publication_consent',
          'verified_signed_receipt',
          'persisted_proof_record',
        ],
        consent: 'Only the agent of a proof publishes it.',
        shown: 'Ids, kinds, decisions, receipts and times.',
        profiles:
          'Counts of what the agent has published of work on record here, and of nothing else.',
      },
      empty_state: null,
      offset: 0,
      limit: 10,
      total: 1,
    },
  },
  'activity-feed-publish': {
    input: {
      proof_id: proofId,
      publication_consent: true,
      idempotency_key: 'publish-2026-0117',
    },
    output: {
      published: true,
      activity_id: activityId,
      conditions: [
        { condition: 'bound_to_credential', ok: true },
        { condition: 'publication_consent', ok: true },
        { condition: 'verified_signed_receipt', ok: true },
        { condition: 'persisted_proof_record', ok: true },
      ],
      receipt: receiptOf('publication', `cc_${digests.payload}`, {
        proof_id: proofId,
        activity_id: activityId,
        agent_id: ids.agent,
        consents: true,
        sequence: 1,
      }),
    },
  },
} as const
