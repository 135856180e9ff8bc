import { evaluated } from './commerce.ts'
import { digests } from './ids.ts'
import { receiptOf } from './receipts.ts'

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

export const evidenceExamples = {
  'model-analysis-read': {
    input: {},
    output: sampleOf('model-evidence-analysis', {
      analysis: sampledAnalysis,
      force_fallback: true as const,
    }),
  },
  'model-analysis-run': {
    input: { packet, questions: ['How often are access rights reviewed?'], force_fallback: true },
    output: { ...proven, guardrails: { calls_left: 20, bytes: 262_144 } },
  },
} as const
