import type { FeeSettings } from '#domain/credit/fees.ts'

/** The fees as they are configured by default. */
export const defaultFees: FeeSettings = {
  receipt_usd: 0,
  escrow_percent: 2,
  premium_wallet_usd: 19,
  developer_usd: 0,
  trust_badge_usd_per_year: 49,
  enterprise_controls_usd: 499,
  wallet_per_day_usd: { free: 100_000, premium: 1_000_000 },
}
