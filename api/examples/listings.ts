import { ids } from './ids.ts'
import { challenge } from './payments.ts'
import { receiptOf } from './receipts.ts'

const trust_listing_id = 'tl_5a3d1c0fe2b94876a1d0c9b8e7f605142338495a6b7c8d9e0f1a2b3c4d5e6f70'
const commercial_plan_id = 'cpl_70f6e5d4c3b2a1f0e9d8c7b6a5948332415067f8e9b0c1d06784b9e2f0c1d3a5'
const fee_event_id = 'fe_0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0'

const listing = {
  trust_listing_id,
  commercial_plan_id: null,
  trust_badge_state: 'none',
  fee_event_id: null,
  agent_id: ids.agent,
  display_name: 'Northwind compliance agent',
  summary: 'Assembles evidence for SOC 2 audits; eleven packets since October.',
  rails: ['packetops'],
  evidence: [{ receipt_id: ids.usageReceipt, kind: 'usage_receipt' }],
  review_state: 'approved',
  active_until: null,
  listed_at: '2026-11-24T10:00:00.000Z',
} as const
const planned = { ...listing, commercial_plan_id, trust_badge_state: 'planned' } as const
const check = {
  receipt_id: ids.usageReceipt,
  kind: 'usage_receipt',
  ok: true,
  detail: 'it verifies',
}
const active = {
  ...planned,
  trust_badge_state: 'active',
  fee_event_id,
  active_until: '2027-11-24T10:20:00.000Z',
} as const

/** How an agent is listed, and pays for its badge. */
export const listingExamples = {
  'trust-listing-read': { input: { trust_listing_id }, output: { listing: active } },
  'create-trust-listing': {
    input: {
      mode: 'create_trust_listing',
      display_name: listing.display_name,
      summary: listing.summary,
      rails: ['packetops'],
      evidence_receipt_ids: [ids.usageReceipt],
      idempotency_key: 'listing-1',
    },
    output: { listing: { ...listing, review_state: 'waiting' }, checks: [check] },
  },
  'quote-trust-badge-fee': {
    input: { mode: 'quote_trust_badge_fee', trust_listing_id, months: 12 },
    output: {
      quote: {
        quote_id: ids.quote,
        fee_item: 'trust_badge_fee',
        months: 12,
        total_usd: 49,
        currency: 'usd',
        pricing_model: 'trust_badge_fee',
        expires_at: '2026-11-25T10:05:00.000Z',
      },
      listing: { ...listing, trust_badge_state: 'quoted' },
    },
  },
  'create-trust-badge-plan': {
    input: {
      mode: 'create_trust_badge_plan',
      trust_listing_id,
      quote_id: ids.quote,
      idempotency_key: 'badge-plan-1',
    },
    output: { listing: planned, challenge: { ...challenge, amount_usd: 49 } },
  },
  'record-trust-badge-fee-event': {
    input: {
      mode: 'record_trust_badge_fee_event',
      trust_listing_id,
      commercial_plan_id,
      event: 'settled',
      payment_reference_id: ids.reference,
      idempotency_key: 'badge-settled-1',
    },
    output: {
      listing: active,
      receipt: receiptOf('listing', fee_event_id, {
        trust_listing_id,
        commercial_plan_id,
        agent_id: ids.agent,
        event: 'settled',
        trust_badge_state: 'active',
        payment_reference_id: ids.reference,
        amount_usd: 49,
        recorded_by: ids.agent,
      }),
    },
  },
  'read-trust-listings': {
    input: { mode: 'read_trust_listings', trust_badge_state: 'active', limit: 25 },
    output: { items: [active], offset: 0, limit: 25, total: 1 },
  },
} as const
