import { energyopsInput } from '#domain/rails/energyops/index.ts'
import { financeopsInput } from '#domain/rails/financeops/index.ts'
import { tokenopsInput } from '#domain/rails/tokenops/index.ts'
import { BASE_URL, digests, ids, tokens } from './ids.ts'
import { examplePilot } from './pilots.ts'
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

const diligence = {
  questions: [{ id: 'q1', text: 'How often are backups tested?', required: true }],
  evidence: [{ id: 'd1', title: 'Backups', text: 'Backups are tested once a quarter.' }],
} as const

type Far = 'to_do' | 'done'
/** The stages of a paid run, before its work or after it. */
function stagesOf({ proof, made }: { proof: Far; made: Far }) {
  const of = (id: string) => (made === 'done' ? id : null)
  return [
    {
      stage: 'product_card',
      state: 'done',
      evidence_id: `${BASE_URL}/api/agent-rail-checkout?rail=diligenceops&tier=standard`,
    },
    { stage: 'quote', state: 'done', evidence_id: ids.quote },
    { stage: 'checkout', state: 'done', evidence_id: ids.challenge },
    { stage: 'run', state: made, evidence_id: ids.run },
    { stage: 'return_package', state: made, evidence_id: of(ids.returnPackage) },
    { stage: 'proof', state: proof, evidence_id: of(ids.commerceProof) },
    { stage: 'receipt', state: made, evidence_id: of(ids.usageReceipt) },
  ] as const
}

const activationId = 'av_3f2a9c1d7e5b48609a1c2d3e4f5061728394a5b6c7d8e9f00112233445566778'
/** What each controlled pilot is for, at what price, and the input that its rail reads. */
const offered = {
  tokenops: ['What our agents spent on models in November.', 49, tokenopsInput],
  financeops: ['Whether our payments of November match their invoices.', 99, financeopsInput],
  energyops: ['Whether our bill of November agrees with the meter.', 149, energyopsInput],
} as const
type OfferRail = keyof typeof offered

const pilotRun = <Of extends object>(rail: OfferRail, run: Of) => ({
  ...run,
  rail,
  tier: 'entry' as const,
  work_order_id: ids.workOrder,
})
const chainOf = (rail: OfferRail) => [
  ['request', `${rail} entry, as quoted`, ids.quote] as const,
  ['auth_validation', 'a live key of a trusted agent', ids.credential] as const,
  ['tool_scope', `the key grants ${rail}, runs:write`, ids.credential] as const,
  ['payload_validation', 'the rail reads the input', digests.input] as const,
  ['runtime_write', 'task, order, contract and run are stored', ids.run] as const,
  ['audit_event', 'the write gate admitted the write', ids.audit] as const,
  ['controlled_pilot', 'the pilot waits for its payment and its review', ids.pilot] as const,
]
const controlledPilot = <State extends string, Of extends object>(
  rail: OfferRail,
  state: State,
  run: Of,
) => ({
  activation_id: activationId,
  chain: chainOf(rail).map(([step, detail, evidence_id]) => ({
    step,
    ok: true,
    detail,
    evidence_id,
  })),
  tool_scope: [rail, 'runs:write'],
  granted: {
    credential_id: ids.credential,
    rails: [rail],
    scopes: ['runs:write' as const],
  },
  pilot: {
    ...examplePilot,
    source: 'controlled' as const,
    rail,
    tier: 'entry' as const,
    total_usd: offered[rail][1],
    client: { name: 'Northwind agent', account_id: null, customer_account: ids.agent },
    state,
    objective: offered[rail][0],
    runs: [ids.run],
    next_step: nextStep,
  },
  run: pilotRun(rail, run),
  audit_event_id: ids.audit,
})
const { task_token: _token, links: _links, ...waitingSeen } = waitingRun
const { task_token: _closed, links: _old, ...closedSeen } = closedRun
const seen = <Of extends object>(pilot: Of) => ({
  ...pilot,
  funding: 'settled_payment' as const,
  synthetic_runs: [],
})
const nextStep = 'The run waits for its payment, its review or its result.'

/** The controlled pilot of a rail: how it is activated, so that the call can be sent with a quote of one's own, and read. */
const controlledPilotExamples = (rail: OfferRail) => ({
  [`${rail}-controlled-pilot-run`]: {
    input: {
      request: { objective: offered[rail][0] },
      tool_scope: [rail, 'runs:write' as const],
      tier: 'entry' as const,
      quote_id: ids.quote,
      entitlement_id: ids.entitlement,
      input: { ...offered[rail][2] },
      callback_url: 'https://hooks.northwind.example/agent-rails',
      on_gaps: 'report' as const,
      accept_terms: true as const,
      idempotency_key: 'pilot-1',
    },
    output: {
      ...controlledPilot(rail, 'running', waitingRun),
      challenge: null,
      status_token: tokens.pilot,
    },
  },
  [`${rail}-controlled-pilot-read`]: {
    input: { run_id: ids.run },
    output: seen(controlledPilot(rail, 'delivered', closedSeen)),
  },
})

const runtimeRuns = {
  input: { limit: '10' },
  output: {
    items: [seen(controlledPilot('energyops', 'running', waitingSeen))],
    offset: 0,
    limit: 10,
    total: 1,
    ready_to_run: [{ pilot_id: ids.pilot, evidence_root_sha256: digests.evidence, is_paid: true }],
  },
}
const begunRun = {
  input: {
    pilot_id: ids.pilot,
    decision_note: 'known to us',
    evidence_root_sha256: digests.evidence,
    idempotency_key: 'begin-1',
  },
  output: {
    ...seen(controlledPilot('energyops', 'running', waitingSeen)),
    review_decision: {
      decision: 'approve',
      work_order_id: ids.workOrder,
      receipt_id: ids.settlementReceipt,
    },
  },
}

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
  'diligence-loop-read': {
    input: { run_id: ids.run },
    output: {
      run: { ...closedRun, rail: 'diligenceops' },
      stages: stagesOf({ proof: 'done', made: 'done' }),
    },
  },
  'diligence-loop-start': {
    input: {
      tier: 'standard',
      quote_id: ids.quote,
      entitlement_id: ids.entitlement,
      input: diligence,
      on_gaps: 'report',
      accept_terms: true,
      idempotency_key: 'diligence-q4',
    },
    output: {
      run: { ...waitingRun, rail: 'diligenceops' },
      challenge: null,
      receipts: [],
      result_contract: { ...resultContract, usage_receipt_id: null },
      stages: stagesOf({ proof: 'to_do', made: 'to_do' }),
    },
  },
  'loop-audit-pack': {
    input: { run_id: ids.run, limit: '1' },
    output: {
      decisions: [
        {
          decision_id: ids.decision,
          subject_kind: 'task',
          subject_id: ids.task,
          decision: 'approve',
          note: 'known to us',
          decided_by: { operator_id: ids.operator, operator_name: 'ops' },
          waiting_since: '2026-11-24T09:32:00.000Z',
          decided_at: '2026-11-24T09:40:00.000Z',
          evidence_root_sha256: digests.evidence,
          receipt_id: ids.settlementReceipt,
        },
      ],
      loops: [
        {
          run_id: ids.run,
          task_id: ids.task,
          steps: [
            {
              attempt: 0,
              round: 0,
              step: 'worker',
              verdict: 'done',
              output_sha256: digests.result,
              decided_by: null,
              finished_at: '2026-11-24T09:41:02.000Z',
            },
          ],
        },
      ],
      ledger_heads: [
        {
          task_id: ids.task,
          state: 'closed',
          entries: 19,
          head_hash: digests.loop,
          review_decision: ids.decision,
        },
      ],
      receipts: [
        {
          receipt_id: ids.settlementReceipt,
          kind: 'review_decision',
          subject: ids.decision,
          jws: closedRun.completion_signature,
        },
      ],
      offset: 0,
      limit: 1,
      total: 3,
      pack_sha256: digests.payload,
      jws: closedRun.completion_signature,
    },
  },
  ...controlledPilotExamples('tokenops'),
  ...controlledPilotExamples('financeops'),
  ...controlledPilotExamples('energyops'),
  'energyops-runtime-runs-read': runtimeRuns,
  'energyops-runtime-run': begunRun,
  'financeops-runtime-runs-read': runtimeRuns,
  'financeops-runtime-run': begunRun,
} as const
