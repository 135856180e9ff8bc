import { controlsCatalog, openControls } from '#domain/accounts/controls.ts'
import { type FeeSettings, feeCatalog } from '#domain/credit/fees.ts'
import { addresses, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

const fees: FeeSettings = {
  receipt_usd: 0,
  escrow_percent: 2,
  premium_wallet_usd: 19,
  developer_usd: 0,
  trust_badge_usd_per_year: 49,
  enterprise_controls_usd: 499,
  wallet_per_day_usd: { free: 100_000, premium: 1_000_000 },
}
const feeEvent = `fe_${'6'.repeat(64)}`
const account_id = `acc_${'4'.repeat(64)}`
const narrowed = { ...openControls, allowed_rails: ['packetops'], per_day_usd_max: 500 } as const
const bound = { wallet: addresses.creator, bound_at: '2026-11-24T09:32:00.000Z' }
const own = {
  account_id,
  controls: narrowed,
  set_by: ids.agent,
  set_at: '2026-11-24T09:31:00.000Z',
  fee_usd_per_month: fees.enterprise_controls_usd,
  fee_accepted: true,
  fee_ends_at: null,
  wallets: [bound],
}

/** What an account allows itself, and the wallets that it answers for. */
export const commercialExamples = {
  'commercial-layer-read': {
    input: { wallet_id: ids.allowance },
    output: {
      fee_items: feeCatalog(fees),
      plans: [
        { plan: 'free', usd_per_month: 0, wallet_usd_per_day: 100_000 },
        { plan: 'premium', usd_per_month: 19, wallet_usd_per_day: 1_000_000 },
      ],
      accrued: [
        {
          fee_event_id: feeEvent,
          fee_item: 'premium_wallet_tier',
          subject: `${ids.allowance}:2026-11`,
          amount_usd: 19,
          state: 'accrued',
          receipt_id: ids.settlementReceipt,
          created_at: '2026-11-24T09:32:00.000Z',
        },
      ],
      micro_routing_fees_usd: 8,
    },
  },
  'commercial-fees-assess': {
    input: { items: [{ fee_item: 'escrow_fee', basis_usd: 250 }] },
    output: {
      lines: [
        {
          fee_item: 'escrow_fee',
          rule: 'Of the reward, held since the claim and posted at the delivery of the exchange.',
          basis_usd: 250,
          amount_usd: 5,
        },
      ],
      total_usd: 5,
      fee_event_ids: [],
      receipt: null,
    },
  },
  'enterprise-controls-read': {
    input: { account_id },
    output: {
      controls_catalog: controlsCatalog,
      fee_usd_per_month: fees.enterprise_controls_usd,
      own,
    },
  },
  'enterprise-controls-set': {
    input: {
      controls: { allowed_rails: ['packetops'], per_day_usd_max: 500 },
      reason: 'the budget of the fourth quarter',
      accept_fee: true,
      idempotency_key: 'controls-2026-q4',
    },
    output: {
      ...own,
      wallets: [],
      changed: ['allowed_rails', 'per_day_usd_max'],
      receipt: receiptOf('control_change', ids.change, {
        account_id,
        from: openControls,
        to: narrowed,
        set_by: ids.agent,
        reason: 'the budget of the fourth quarter',
        accepted_fee_usd: fees.enterprise_controls_usd,
        fee_ends_at: null,
        currency: 'usd',
      }),
    },
  },
  'enterprise-wallet-bind': {
    input: {
      mode: 'bind_wallet',
      wallet: addresses.creator,
      signature: `0x${'1b'.repeat(65)}`,
      idempotency_key: 'treasury-wallet',
    },
    output: {
      ...own,
      receipt: receiptOf('control_change', ids.change, {
        account_id,
        wallet: addresses.creator,
        bound_by: ids.agent,
        currency: 'usd',
      }),
    },
  },
} as const
