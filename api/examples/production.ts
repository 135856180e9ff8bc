import { boundSets } from '#domain/core/contract-sets.ts'
import { type PathStep, pathSteps } from '#domain/production/activation-path.ts'
import { FIRST_PAID_TOOL, successConditions } from '#domain/production/first-paid-run.ts'
import { gateChecks, gateRules } from '#domain/production/write-gate.ts'
import { digests, ids } from './ids.ts'
import { packet } from './packet.ts'
import { receiptOf } from './receipts.ts'
import { closedRun, waitingRun } from './runs.ts'

const details = {
  scoped_key: 'the access key covers the write',
  idempotency: 'the key was not used before',
  allowed_rail: 'packetops is allowed',
  https_callback: 'a public HTTPS URL by its form',
  audit_event: `recorded as ${ids.audit}`,
} as const
const passed = gateChecks.map((check) => ({ check, ok: true, detail: details[check] }))

const evidence = {
  customer_account: [ids.contract, 'the contract was accepted for the customer account'],
  work_order: [ids.workOrder, 'the work order was approved'],
  payment_reference: [ids.reference, 'the payment is verified, with a settlement receipt'],
  mcp_tool_path: [ids.audit, `the run was begun by the tool ${FIRST_PAID_TOOL}`],
  return_package: [ids.returnPackage, 'its result is the one that was signed'],
  receipt: [ids.usageReceipt, 'the usage receipt charges the result'],
  proof_hash: [digests.proof, 'computed again from the signed proof'],
  completion_signature: ['receipt-2026-11', 'verified by its key'],
} as const
const met = successConditions.map((condition) => {
  const [evidence_id, detail] = evidence[condition]
  return { condition, met: true, evidence_id, detail }
})

const bound = {
  customer_account: 'northwind-emea',
  work_order_id: ids.workOrder,
  payment_reference_id: ids.reference,
} as const
const gated = { gate: { checks: passed }, audit_event_id: ids.audit, publication_consent: true }

const closed = {
  ...gated,
  binding: {
    ...bound,
    return_package_id: ids.returnPackage,
    receipt_id: ids.usageReceipt,
    completion_state: 'closed',
  },
  run: { ...closedRun, work_order_id: ids.workOrder },
  success_condition: met,
  reached: true,
  receipt: receiptOf('production_run', ids.audit, {
    task_id: ids.task,
    run_id: ids.run,
    customer_account_sha256: digests.request,
    audit_event_id: ids.audit,
    reached: true,
    conditions: met.map(({ detail: _detail, ...condition }) => condition),
  }),
} as const

const pathEvidence: Partial<Record<PathStep, string>> = {
  registered: ids.agent,
  trusted: ids.decision,
  quoted: ids.quote,
}
const activation = {
  activation_id: ids.activation,
  customer_account: 'northwind-emea',
  rail: 'packetops',
  tier: 'standard',
  started_at: '2026-11-24T09:00:00.000Z',
  steps: pathSteps.map((step) => {
    const evidence_id = pathEvidence[step] ?? null
    return { step, state: evidence_id === null ? 'open' : 'done', evidence_id } as const
  }),
  next_action: 'Start a production run for the account, and pay its quote.',
} as const

const starting = {
  ...gated,
  binding: {
    ...bound,
    return_package_id: null,
    receipt_id: null,
    completion_state: 'credit_funded',
  },
  run: { ...waitingRun, work_order_id: ids.workOrder },
  success_condition: successConditions.map((condition) => ({
    condition,
    met: false,
    evidence_id: null,
    detail: 'it is computed when the run closes',
  })),
  reached: null,
  receipt: null,
  challenge: null,
} as const

/** What every production run binds, without the conditions of the first. */
const boundOf = <Run extends typeof closed | typeof starting>({
  binding,
  run,
  gate,
  audit_event_id,
}: Run) => ({ binding, run, gate, audit_event_id })

const customerStart = {
  rail: 'packetops',
  tier: 'standard',
  quote_id: ids.quote,
  input: packet,
  payment_reference_id: ids.reference,
  customer_account: 'northwind-emea',
  callback_url: 'https://hooks.northwind.example/agent-rails',
  on_gaps: 'report',
  accept_terms: true,
  idempotency_key: 'packet-q4-production',
} as const

/** A production run of packetops: asked about, started, and closed with every condition met. */
export const productionExamples = {
  'write-gate-read': {
    input: { audit_event_id: ids.audit },
    output: {
      checks: gateChecks.map((check) => ({ check, rule: gateRules[check] })),
      allowed_rails: ['packetops', 'diligenceops'],
      operations_behind_gate: [
        {
          operation_id: 'first-paid-run-execute',
          method: 'POST',
          path: '/api/first-paid-production-run-execution',
          tool: FIRST_PAID_TOOL,
          scopes: ['production:write'],
          rails: ['packetops', 'diligenceops'],
          callback: 'required',
          written: 3,
          validated: 4,
          refused: 1,
        },
      ],
      paused: null,
      event: {
        audit_event_id: ids.audit,
        kind: 'written',
        operation_id: 'first-paid-run-execute',
        rail: 'packetops',
        subject: ids.run,
        passed: true,
        code: null,
        checks: passed,
        at: '2026-11-27T09:30:00Z',
      },
    },
  },
  'write-gate-validate': {
    input: {
      operation_id: 'first-paid-run-execute',
      rail: 'packetops',
      callback_url: 'https://hooks.northwind.example/agent-rails',
      idempotency_key: 'packet-q4-production',
    },
    output: {
      pass: true,
      checks: passed,
      audit_event_id: ids.audit,
      executed: false,
      money_movement: false,
      receipt: {
        ...receiptOf('write_gate', ids.audit, {
          operation_id: 'first-paid-run-execute',
          rail: 'packetops',
          agent_id: ids.agent,
          credential_id: ids.credential,
          payload_sha256: null,
          callback_sha256: digests.request,
          passed: true,
          checks: gateChecks.map((check) => ({ check, ok: true })),
          executed: false,
          money_movement: false,
          usage: 'unspecified',
        }),
        usage: 'unspecified',
      },
    },
  },
  'first-paid-run-read': { input: { run_id: ids.run }, output: closed },
  'first-paid-run-execute': {
    input: { ...customerStart, publication_consent: true },
    output: starting,
  },
  'production-run-start': {
    input: customerStart,
    output: { ...boundOf(starting), challenge: null },
  },
  'activation-path-read': {
    input: { activation_id: ids.activation },
    output: {
      path: '/api/customer-activation-path',
      version: 'v1',
      operations: [],
      policy_rules: [],
      contract_sets: [...boundSets],
      live: { activations: 1 },
      steps: [...pathSteps],
      activation,
    },
  },
  'activation-start': {
    input: {
      customer_account: 'northwind-emea',
      rail: 'packetops',
      tier: 'standard',
      idempotency_key: 'activate-northwind',
    },
    output: { activation },
  },
  'production-runs-read': {
    input: { customer_account: 'northwind-emea' },
    output: { items: [boundOf(closed)], offset: 0, limit: 25, total: 1 },
  },
} as const
