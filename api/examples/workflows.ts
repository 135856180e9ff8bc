import { firingTerms } from '#domain/production/accepted-terms.ts'
import { digests, ids } from './ids.ts'
import { packet } from './packet.ts'
import { receiptOf } from './receipts.ts'

const workflow_id = 'cw_5a1f6c1d0b9e4c7f8a2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7'
const terms = {
  customer_account: 'northwind-emea',
  rail: 'packetops',
  tier: 'standard',
  name: 'Monthly SOC 2 packet',
  acceptance_criteria: ['Each required section is covered or listed as a gap.'],
  callback_url: 'https://hooks.northwind.example/agent-rails',
  wallet_id: ids.allowance,
  cadence: 'monthly',
} as const
const { terms: accepted_terms, terms_sha256 } = firingTerms(null)
const agreed = { accepted_terms, terms_sha256 }
const waiting = {
  workflow_id,
  ...terms,
  input_sha256: digests.input,
  ...agreed,
  state: 'waiting',
  decision_id: null,
  action_id: null,
  created_at: '2026-11-24T09:30:00.000Z',
  firings: [],
} as const
const active = {
  ...waiting,
  state: 'active',
  decision_id: ids.decision,
  firings: [
    {
      firing_id: 'fi_7c1d0b9e4c7f8a2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e75a1f',
      due_at: '2026-12-24T09:30:00.000Z',
      state: 'started',
      run_id: ids.run,
      work_order_id: ids.workOrder,
      code: null,
      detail: null,
      terms_sha256,
      charged_usd: null,
    },
  ],
} as const
const receipt = receiptOf('customer_workflow', workflow_id, { cadence: 'monthly' })
const named = { workflow_id, idempotency_key: 'packet-monthly-change' } as const

/** A monthly workflow of packetops: created, read, paused, resumed, fired and ended. */
export const workflowExamples = {
  'customer-workflow-create': {
    input: { ...terms, input: packet, accept_terms: true, idempotency_key: 'packet-monthly' },
    output: {
      workflow: waiting,
      gate: {
        checks: [{ check: 'scoped_key', ok: true, detail: 'the access key covers the write' }],
      },
      review: { subject_kind: 'workflow', subject_id: workflow_id, state: 'waiting' },
      receipt,
    },
  },
  'customer-workflow-read': {
    input: { workflow_id },
    output: { items: [active], offset: 0, limit: 25, total: 1 },
  },
  'customer-workflow-pause': {
    input: { mode: 'pause_workflow', ...named },
    output: { workflow: { ...active, state: 'paused' }, receipt },
  },
  'customer-workflow-resume': {
    input: { mode: 'resume_workflow', ...named, accept_terms: true },
    output: { workflow: active, receipt },
  },
  'customer-workflow-delete': {
    input: { mode: 'delete_workflow', ...named },
    output: { workflow: { ...active, state: 'deleted' }, receipt },
  },
  'customer-workflow-run': {
    input: { mode: 'run_workflow', workflow_id, idempotency_key: 'packet-now' },
    output: { workflow: active, firing_id: active.firings[0].firing_id },
  },
} as const
