import { digests, ids } from './ids.ts'
import { closedRun, resultContract, waitingRun } from './runs.ts'

const scoutRun = {
  ...waitingRun,
  rail: 'scout',
  payment_reference_id: null,
} as const

const manifest = {
  state: 'provisional',
  items: [
    {
      name: 'system.md',
      section: 'system_description',
      sha256: digests.manifest,
      bytes: 5310,
      issued_at: '2026-10-02',
      expires_at: null,
      source: null,
      digest: 'claimed',
      validity: 'current',
      reading: 'unread',
      owner: null,
      approved_by: null,
      period: null,
      superseded_by: null,
      points: 1,
      leaf_sha256: digests.evidence,
    },
  ],
  merkle_root: digests.evidence,
  section_coverage: [
    {
      section: 'system_description',
      title: 'System description',
      required: true,
      max_age_days: 365,
      state: 'partial',
      points: 1,
      reasons: ['content_not_given'],
      items: [{ pointer: '/items/0', quote: '' }],
    },
  ],
  readiness: { score: 50, rule: 'the points of required sections, of two for each' },
  complete: false,
} as const

/** A free run of scout in the controlled loop, and what is at its steps. */
export const loopExamples = {
  'loops-read': { input: { run_id: ids.run }, output: { run: closedRun } },
  'loop-start': {
    input: {
      rail: 'scout',
      tier: 'standard',
      input: { task: 'Reconcile our invoices with the bank, and find the cheapest tariff.' },
      usage: 'operational',
      on_gaps: 'report',
      accept_terms: true,
      idempotency_key: 'scout-q4',
    },
    output: {
      run: scoutRun,
      challenge: null,
      receipts: [],
      result_contract: { ...resultContract, usage_receipt_id: null },
    },
  },
  'packet-loop-read': {
    input: { run_id: ids.run },
    output: { run: closedRun, manifest: { ...manifest, state: 'final' } },
  },
  'packet-loop-start': {
    input: {
      tier: 'standard',
      quote_id: ids.quote,
      entitlement_id: ids.entitlement,
      input: {
        title: 'SOC 2 evidence, Q4 2026',
        required_sections: ['system_description'],
        as_of: '2026-11-24',
        items: [
          {
            name: 'system.md',
            section: 'system_description',
            sha256: digests.manifest,
            bytes: 5310,
            issued_at: '2026-10-02',
          },
        ],
      },
      manifest_only: true,
      usage: 'operational',
      on_gaps: 'report',
      accept_terms: true,
      idempotency_key: 'packet-q4-manifest',
    },
    output: {
      run: waitingRun,
      challenge: null,
      receipts: [],
      result_contract: resultContract,
      manifest,
    },
  },
} as const
