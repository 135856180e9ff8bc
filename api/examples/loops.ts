import { ids } from './ids.ts'
import { closedRun, resultContract, waitingRun } from './runs.ts'

const scoutRun = {
  ...waitingRun,
  rail: 'scout',
  payment_reference_id: null,
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
} as const
