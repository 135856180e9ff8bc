import { z } from 'zod'
import { controlBounds } from '#domain/accounts/controls.ts'
import { feeItems } from '#domain/credit/fees.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { Address, ReceiptId, Time } from '../fields.ts'
import { Rail } from './agents.ts'

export const AccountId = z.string().regex(/^acc_[0-9a-f]{64}$/)
const limitUsd = z.int().min(0).max(controlBounds.usdMax)
const Host = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)

const controls = {
  allowed_rails: z.array(Rail).max(railKeys.length).nullable(),
  per_run_usd_max: limitUsd.nullable(),
  per_day_usd_max: limitUsd.nullable().meta({ description: 'A UTC day.' }),
  review_all: z.boolean(),
  callback_hosts: z.array(Host).max(controlBounds.hostsMax).nullable(),
  paused: z.boolean(),
  credential_max_age_days: z.int().min(1).max(controlBounds.daysMax).nullable(),
}
const Controls = z.strictObject(controls).meta({ id: 'AccountControls' })
/** Controls as they are asked for: what is absent stays as it is, null is no limit. */
export const ControlsAsked = Controls.partial().meta({ id: 'AccountControlsAsked' })
export const ControlName = z.enum(Object.keys(controls) as [keyof typeof controls])

export const FeeUsdPerMonth = z.int().min(0).meta({
  description:
    'The fee enterprise_controls. It starts with the first controls that the agent of the account sets, and is paid from its allowance wallet.',
})

/** The controls of an account, who set them last, and its wallets. */
export const controlled = {
  account_id: AccountId,
  controls: Controls,
  set_by: z.string().nullable(),
  set_at: Time.nullable(),
  fee_usd_per_month: FeeUsdPerMonth,
  fee_accepted: z.boolean().meta({
    description:
      'Whether the agent of the account accepted this fee, which is then posted monthly.',
  }),
  fee_ends_at: Time.nullable().meta({
    description: 'When the agent of the account ends the fee; no month from then on is posted.',
  }),
  wallets: z.array(z.strictObject({ wallet: Address, bound_at: Time })),
}

export const FeeEventId = z.string().regex(/^fe_[0-9a-f]{64}$/)
export const FeeItem = z.enum(feeItems)
export const usd = z.int().min(0)

/** A fee as it stands in the books: posted, held, due, or released. */
export const FeeEvent = z
  .strictObject({
    fee_event_id: FeeEventId,
    fee_item: FeeItem,
    subject: z.string(),
    amount_usd: usd,
    state: z.enum(['due', 'held', 'accrued', 'released']),
    receipt_id: ReceiptId.nullable(),
    created_at: Time,
  })
  .meta({ id: 'FeeEvent' })
