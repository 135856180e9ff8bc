import type { FeeSettings } from '#domain/credit/fees.ts'
import { between } from './setting-kinds.ts'

const usd = (fallback: number, least = 0) => between(least, 1_000_000, fallback)

/** The commercial fees; an item of 0 is shown and posts nothing. The rail fee follows from each price. */
export const feeSettings = {
  FEE_RECEIPT_USD: usd(0).describe('fee for each receipt of a paid run'),
  FEE_ESCROW_PERCENT: between(0, 100, 2).describe(
    'fee on the price of a delivered order of the exchange',
  ),
  FEE_PREMIUM_WALLET_USD: usd(19).describe('fee for a month of a premium wallet'),
  FEE_DEVELOPER_USD: usd(0).describe('fee for a run that a developer started for a customer'),
  FEE_TRUST_BADGE_USD: usd(49, 1).describe('fee for a year of a trust badge'),
  FEE_ENTERPRISE_CONTROLS_USD: usd(499).describe('fee for a month of enterprise controls'),
  WALLET_FREE_USD_PER_DAY: usd(100_000).describe('the most that a free wallet pays a day'),
  WALLET_PREMIUM_USD_PER_DAY: usd(1_000_000).describe('the most that a premium wallet pays a day'),
}

type Settings = { readonly [Name in keyof typeof feeSettings]: number }

export const feesOf = (config: Settings): FeeSettings => ({
  receipt_usd: config.FEE_RECEIPT_USD,
  escrow_percent: config.FEE_ESCROW_PERCENT,
  premium_wallet_usd: config.FEE_PREMIUM_WALLET_USD,
  developer_usd: config.FEE_DEVELOPER_USD,
  trust_badge_usd_per_year: config.FEE_TRUST_BADGE_USD,
  enterprise_controls_usd: config.FEE_ENTERPRISE_CONTROLS_USD,
  wallet_per_day_usd: {
    free: config.WALLET_FREE_USD_PER_DAY,
    premium: config.WALLET_PREMIUM_USD_PER_DAY,
  },
})
