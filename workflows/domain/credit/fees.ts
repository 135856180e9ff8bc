import { railFee } from './pricing.ts'

/** The commercial fee items of Doc 1, in its order. */
export const feeItems = [
  'micro_routing_fee',
  'receipt_fee',
  'escrow_fee',
  'premium_wallet_tier',
  'developer_fee',
  'trust_badge_fee',
  'enterprise_controls',
] as const
export type FeeItem = (typeof feeItems)[number]
/** A percentage of a basis in usd; the others are amounts. */
export const percentItems = ['micro_routing_fee', 'escrow_fee'] as const satisfies FeeItem[]
export const isPercent = (item: FeeItem): boolean => percentItems.some((one) => one === item)
/** Paid by the month; the others have triggers of their own. */
export const monthlyItems = ['premium_wallet_tier', 'enterprise_controls'] as const
export type MonthlyItem = (typeof monthlyItems)[number]

export const walletTiers = ['free', 'premium'] as const
export type WalletTier = (typeof walletTiers)[number]

/** The configured amounts in whole usd; the rail fee is part of each price. */
export type FeeSettings = {
  receipt_usd: number
  escrow_percent: number
  premium_wallet_usd: number
  developer_usd: number
  trust_badge_usd_per_year: number
  enterprise_controls_usd: number
  /** The most that a wallet of each tier pays in one UTC day. */
  wallet_per_day_usd: Readonly<Record<WalletTier, number>>
}

/** What a fee is computed from: an amount in usd, and how many receipts, runs or months. */
export type FeeBasis = { basisUsd?: number | undefined; count?: number | undefined }

const percentOf = (usd: number, percent: number): number => Math.floor((usd * percent + 50) / 100)

/** The amount of a fee in whole usd. */
export function feeUsd(
  settings: FeeSettings,
  item: FeeItem,
  { basisUsd = 0, count = 1 }: FeeBasis,
): number {
  const amounts: Readonly<Record<FeeItem, number>> = {
    micro_routing_fee: railFee('standard', basisUsd) * count,
    receipt_fee: settings.receipt_usd * count,
    escrow_fee: percentOf(basisUsd, settings.escrow_percent) * count,
    premium_wallet_tier: settings.premium_wallet_usd * count,
    developer_fee: settings.developer_usd * count,
    trust_badge_fee: Math.ceil((settings.trust_badge_usd_per_year * count) / 12),
    enterprise_controls: settings.enterprise_controls_usd * count,
  }
  return amounts[item]
}

const rules: Readonly<Record<FeeItem, string>> = {
  micro_routing_fee:
    'The rail fee on standard and pro, rounded half up: part of the price, posted once when the run completes.',
  receipt_fee:
    'For each receipt of a paid run (intake, settlement, usage, attestations), posted when the run closes.',
  escrow_fee:
    'Of the price of an order of the exchange, held since its claim and posted at its delivery.',
  premium_wallet_tier: 'For each month of a premium wallet, posted by a timer.',
  developer_fee:
    'For each paid run that a developer’s credential started for a customer account, posted when it closes.',
  trust_badge_fee: 'For each year, pro rata by the month rounded up, posted when it is settled.',
  enterprise_controls:
    'For each month of an account whose agent accepted it with its controls and has a wallet, posted by a timer.',
}

/** Every fee item with its rule and configured amount. */
export const feeCatalog = (settings: FeeSettings) => {
  const amounts: Readonly<Record<FeeItem, [amount: number, unit: string]>> = {
    micro_routing_fee: [8, 'percent'],
    receipt_fee: [settings.receipt_usd, 'usd per receipt'],
    escrow_fee: [settings.escrow_percent, 'percent'],
    premium_wallet_tier: [settings.premium_wallet_usd, 'usd per month'],
    developer_fee: [settings.developer_usd, 'usd per run'],
    trust_badge_fee: [settings.trust_badge_usd_per_year, 'usd per year'],
    enterprise_controls: [settings.enterprise_controls_usd, 'usd per month'],
  }
  return feeItems.map((item) => {
    const [amount, unit] = amounts[item]
    return { item, rule: rules[item], amount, unit }
  })
}
