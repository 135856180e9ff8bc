import { boundSets } from '#domain/core/contract-sets.ts'
import { digests, ids } from './ids.ts'
import { challenge, paymentReference, verification } from './payments.ts'
import { receiptOf } from './receipts.ts'

const funded = {
  posting_id: `${ids.settlementReceipt}.0`,
  debit: 'settlement',
  credit: `entitlement:${ids.entitlement}`,
  units: 107,
  reason: 'settlement_receipt',
  receipt_id: ids.settlementReceipt,
  at: '2026-11-24T09:32:00.000Z',
} as const

/** The credit that the payment of 107 usd funded. */
export const entitlement = {
  entitlement_id: ids.entitlement,
  agent_id: ids.agent,
  rail: 'packetops',
  tier: 'standard',
  state: 'funded',
  granted_units: 107,
  consumed_units: 0,
  returned_units: 0,
  postings: [funded],
} as const

const credit = {
  entitlement,
  balance_units: 107,
  settlement_receipts: [ids.settlementReceipt],
  usage_receipts: [],
} as const

const wallet = {
  wallet_id: ids.allowance,
  owner: ids.agent,
  label: 'Evidence packets',
  tier: 'free',
  tier_per_day_usd: 100_000,
  balance_units: 500,
  reserved_units: 107,
  held_units: 0,
  debt_units: 0,
  limits: { per_run_usd: 250, per_day_usd: 500, rails: ['packetops'] },
  postings: [],
  state: 'active',
} as const

const walletReceipt = receiptOf('intake', ids.allowance, {
  wallet_id: ids.allowance,
  agent_id: ids.agent,
  fee_usd: 0,
  per_run_usd: 250,
  per_day_usd: 500,
  rails: ['packetops'],
  currency: 'usd',
})

const binding = {
  binding_id: ids.binding,
  entitlement_id: ids.entitlement,
  challenge_id: ids.challenge,
  state: 'open',
  settlement_receipt_id: null,
} as const

const usageEvent = {
  event_id: ids.usageEvent,
  kind: 'model_tokens',
  rail: 'packetops',
  units: 18_400,
  unit: 'token',
  credit_units: 0,
  entitlement_id: null,
  at: '2026-11-24T09:40:00.000Z',
  occurred_at: '2026-11-24T09:39:58.000Z',
  agent_id: ids.agent,
  run_id: null,
  subject: 'summary of the access review',
  chain: 'service',
  sequence: 2,
  prev_hash: digests.ledgerBefore,
  hash: digests.ledger,
  usage_receipt_id: null,
} as const

/** The credit of one paid quote, an allowance wallet of 500 usd, and what was used. */
export const creditExamples = {
  'agent-credit-read': { input: { entitlement_id: ids.entitlement }, output: credit },
  'agent-credit-fund': {
    input: {
      entitlement_id: ids.entitlement,
      payment_reference_id: ids.reference,
      idempotency_key: 'packet-q4-fund',
    },
    output: { payment_reference: paymentReference, verification, ...credit },
  },
  'allowance-wallet-read': {
    input: { wallet_id: ids.allowance },
    output: {
      product_parts: ['free_agent_allowance_wallet', 'agent_allowance'],
      fee_model: 'wallet creation is free; a small rail fee applies on completed paid agent work',
      wallet,
    },
  },
  'allowance-wallet-create': {
    input: {
      mode: 'create_wallet',
      label: 'Evidence packets',
      limits: { per_run_usd: 250, per_day_usd: 500, rails: ['packetops'] },
      idempotency_key: 'wallet-1',
    },
    output: {
      wallet: { ...wallet, balance_units: 0, reserved_units: 0 },
      receipt: walletReceipt,
    },
  },
  'allowance-fund': {
    input: {
      mode: 'fund_allowance',
      wallet_id: ids.allowance,
      method: 'invoice_reference',
      external_reference: 'INV-2026-0050',
      amount_usd: 500,
      payer: 'Northwind GmbH',
      idempotency_key: 'wallet-1-fund',
    },
    output: {
      wallet,
      payment_reference: {
        ...paymentReference,
        external_reference: 'INV-2026-0050',
        amount_usd: 500,
        challenge_id: null,
        entitlement_id: null,
        wallet_id: ids.allowance,
      },
      verification,
    },
  },
  'allowance-limits': {
    input: {
      mode: 'set_limits',
      wallet_id: ids.allowance,
      limits: { per_run_usd: 150 },
      idempotency_key: 'wallet-1-limits',
    },
    output: {
      wallet: {
        ...wallet,
        limits: { per_run_usd: 150, per_day_usd: 500, rails: ['packetops'] },
      },
      receipt: walletReceipt,
    },
  },
  'allowance-tier': {
    input: {
      mode: 'set_tier',
      wallet_id: ids.allowance,
      tier: 'premium',
      idempotency_key: 'wallet-1-premium',
    },
    output: {
      wallet: { ...wallet, tier: 'premium', tier_per_day_usd: 1_000_000, balance_units: 481 },
      fee_event_id: `fe_${'6'.repeat(64)}`,
      receipt: walletReceipt,
    },
  },
  'credit-binding-read': {
    input: { binding_id: ids.binding },
    output: {
      path: '/api/agent-credit-checkout-binding',
      version: 'v1',
      operations: [],
      policy_rules: ['A challenge funds one entitlement, for good.'],
      contract_sets: [...boundSets],
      live: { open: 4, settled: 31 },
      binding,
    },
  },
  'credit-binding-create': {
    input: {
      entitlement_id: ids.entitlement,
      challenge_id: ids.challenge,
      idempotency_key: 'packet-q4-bind',
    },
    output: { binding, entitlement: { ...entitlement, state: 'pending', postings: [] }, challenge },
  },
  'usage-ledger-read': {
    input: { event_id: ids.usageEvent, limit: '25' },
    output: {
      items: [{ ...usageEvent, postings: [] }],
      offset: 0,
      limit: 25,
      total: 1,
      totals: { credit_units: 0, by_unit: [{ unit: 'token', units: '18400' }] },
    },
  },
  'usage-ledger-record': {
    input: {
      kind: 'model_tokens',
      rail: 'packetops',
      units: 18_400,
      unit: 'token',
      occurred_at: '2026-11-24T09:39:58Z',
      subject: 'summary of the access review',
      idempotency_key: 'usage-2026-11-24-1',
    },
    output: { event: usageEvent, attribution: 'agent', receipt: null },
  },
} as const
