import { digests, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

const checks = [
  { check: 'run', outcome: 'passed', detail: 'the run closed' },
  { check: 'package', outcome: 'passed', detail: 'every digest was computed again' },
  { check: 'receipts', outcome: 'passed', detail: 'funded and charged' },
  { check: 'payment', outcome: 'passed', detail: 'the payment is verified' },
  {
    check: 'obligation',
    outcome: 'passed',
    detail: `promised by ${ids.contract}; the amount is the price of the run`,
  },
  { check: 'policy', outcome: 'passed', detail: 'rail and price are in the scope' },
] as const
const obligation = {
  statement: 'A sealed packet of the evidence for the audit of the fourth quarter.',
  due_at: '2026-11-30T00:00:00.000Z',
  amount_usd: 107,
} as const
const policy_scope = { rails: ['packetops'], amount_usd_max: 200, data: null } as const

const clearing = {
  clearing_id: ids.clearing,
  obligation_object: obligation,
  evidence_envelope: {
    run_id: ids.run,
    usage: 'operational',
    task_state: 'closed',
    ledger_head: digests.loop,
    ledger_entries: 17,
    contract_id: ids.contract,
    terms_sha256: digests.terms,
    return_package_id: ids.returnPackage,
    manifest_sha256: digests.manifest,
    proof_hash: digests.proof,
    settlement_receipt_id: ids.settlementReceipt,
    usage_receipt_id: ids.usageReceipt,
    envelope_sha256: digests.evidence,
    checks,
  },
  policy_scope,
  payment_reference: {
    payment_reference_id: ids.reference,
    method: 'invoice_reference',
    amount_usd: 107,
    state: 'verified',
    settlement_receipt_id: ids.settlementReceipt,
  },
  run_receipt: receiptOf('clearing', ids.clearing, {
    run_id: ids.run,
    ledger_head: digests.loop,
    envelope_sha256: digests.evidence,
    proof_state: 'proven',
    clearing_decision: 'cleared',
    money_movement: false,
  }),
  proof_state: 'proven',
  clearing_decision: 'cleared',
  retry_available: false,
  handoff_ready: true,
  next_endpoint: '/api/agent-to-agent-handoff-pack',
} as const

/** A run that was delivered as it was owed. */
export const clearingExamples = {
  'clearing-run': {
    input: { run_id: ids.run, obligation, policy_scope, idempotency_key: 'clear-packet-q4' },
    output: clearing,
  },
  'clearing-read': { input: { clearing_id: ids.clearing }, output: clearing },
} as const
