import { z } from 'zod'
import type { EntitlementState } from '#domain/credit/credit.ts'
import { walletTiers } from '#domain/credit/fees.ts'
import { BADGE_FEE } from '#domain/credit/pricing.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { ReceiptId, Time } from '../fields.ts'
import { Rail } from './agents.ts'
import { EntitlementId, Tier, WalletId } from './payments.ts'

const usd = z.int().min(0)

/** Movements as pairs of a debited and a credited account. */
export const Postings = z.array(
  z.strictObject({
    posting_id: z.string(),
    debit: z.string(),
    credit: z.string(),
    units: z.int().min(1),
    reason: z.string().meta({ description: 'The kind of the receipt that it was posted under.' }),
    receipt_id: ReceiptId,
    at: Time,
  }),
)

const entitlementStates = [
  'pending',
  'funded',
  'consumed',
  'returned',
] as const satisfies EntitlementState[]
export const Entitlement = z
  .strictObject({
    entitlement_id: EntitlementId,
    agent_id: z.string(),
    rail: z.enum([...railKeys, BADGE_FEE]).meta({ description: 'What it pays for.' }),
    tier: Tier,
    state: z.enum(entitlementStates),
    granted_units: usd,
    consumed_units: usd,
    returned_units: usd,
    postings: Postings,
  })
  .meta({ id: 'Entitlement' })
export const credit = {
  entitlement: Entitlement,
  balance_units: usd,
  settlement_receipts: z.array(ReceiptId),
  usage_receipts: z.array(ReceiptId),
}

const walletUsd = z.int().min(0).max(1_000_000)

/** What a wallet may pay, in whole usd; null is no limit, a list of rails is all that may be paid. */
const limits = {
  per_run_usd: walletUsd.nullable(),
  per_day_usd: walletUsd.nullable().meta({ description: 'A UTC day.' }),
  rails: z.array(Rail).max(railKeys.length).nullable(),
}
/** Limits as they are asked for: what is absent stays as it is. */
export const Limits = z.strictObject(limits).partial()

/** An allowance wallet as its owner sees it. */
export const Wallet = z
  .strictObject({
    wallet_id: WalletId,
    owner: z.string(),
    label: z.string(),
    tier: z.enum(walletTiers),
    tier_per_day_usd: walletUsd.meta({ description: 'What the tier pays at most in a UTC day.' }),
    balance_units: z.int().min(0),
    reserved_units: z
      .int()
      .min(0)
      .meta({ description: 'Paid for runs, and neither consumed nor returned.' }),
    held_units: z.int().min(0).meta({
      description: 'Of the balance: held for fees to come, and not to be spent.',
    }),
    debt_units: z.int().min(0).meta({
      description:
        'Owed for payments that were taken back after they were spent; what comes in pays it first.',
    }),
    limits: z.strictObject(limits),
    postings: Postings.meta({ description: 'The latest hundred movements.' }),
    state: z.enum(['active', 'paused']),
  })
  .meta({ id: 'AllowanceWallet' })

export const productParts = [
  'free_agent_allowance_wallet',
  'agent_allowance',
  'payment_router',
  'receipt_ledger',
] as const
export const feeModel =
  'wallet creation is free; a small rail fee applies on completed paid agent work'
