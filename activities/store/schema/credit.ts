import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Account, EntitlementState } from '#domain/credit/credit.ts'
import type { UsageKind } from '#domain/credit/usage-event.ts'
import type {
  AuthorityType,
  ChallengeState,
  PaymentMethod,
  PaymentPath,
  ReasonCode,
  ReferenceState,
} from '#domain/payments/payment-reference.ts'
import type { ProviderEventType } from '#domain/payments/provider-event.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'

type Time = ColumnType<Date, Date | undefined, Date>
type Json<T> = JSONColumnType<object & T>

export type QuotesTable = {
  quote_id: string
  /** The agent, or the task of an order without one, that alone may use it; null until its token is presented. */
  bound_to: string | null
  token_sha256: string | null
  task_id: string | null
  rail: RailKey
  tier: Tier
  units: number
  base_usd: number
  rail_fee_usd: number
  total_usd: number
  pricing_model: string
  provider_route: Json<{ route_id: string; provider: string; service_id: string }>
  issued_at: Time
  expires_at: Date
}

export type EntitlementsTable = {
  entitlement_id: string
  quote_id: string
  agent_id: string
  rail: RailKey
  tier: Tier
  state: EntitlementState
  granted_units: number
  fee_units: number
  consumed_units: Generated<number>
  returned_units: Generated<number>
  source: Account | null
  settlement_receipt_id: string | null
  created_at: Time
  changed_at: Time
}

export type PaymentChallengesTable = {
  challenge_id: string
  quote_id: string
  entitlement_id: string | null
  state: ChallengeState
  amount_usd: number
  expires_at: Date
  created_at: Time
  changed_at: Time
}

export type AllowanceWalletsTable = {
  wallet_id: string
  agent_id: string
  label: string
  per_run_usd: number | null
  per_day_usd: number | null
  rails: string[] | null
  created_at: Time
  changed_at: Time
}

export type PaymentReferencesTable = {
  payment_reference_id: string
  agent_id: string
  method: PaymentMethod
  external_reference: string
  amount_usd: number
  challenge_id: string | null
  entitlement_id: string | null
  wallet_id: string | null
  payer: string | null
  authority_type: AuthorityType | null
  evidence_sha256: string | null
  evidence_url: string | null
  /** The only provider that is believed of it; null until one is named or has spoken. */
  provider: string | null
  /** What the presenter proves with, by method. */
  proof: Json<Record<string, string>> | null
  state: ReferenceState
  reason: string | null
  reason_code: ReasonCode | null
  decided_by: string | null
  settlement_receipt_id: string | null
  checked_at: Date | null
  created_at: Time
  changed_at: Time
}

type PostingsTable = {
  posting_id: Generated<string>
  receipt_id: string
  account: Account
  units: number
  written_by: Generated<string>
  posted_at: Time
}

type AccountBalancesTable = { account: Account; units: number }

export type UsageEventsTable = {
  event_id: string
  chain: string
  sequence: number
  kind: UsageKind
  rail: string | null
  units: string
  unit: string
  credit_units: Generated<number>
  occurred_at: Date
  recorded_at: Date
  agent_id: string | null
  run_id: string | null
  subject: string | null
  usage_receipt_id: string | null
  prev_hash: string | null
  hash: string
  record_kind: Generated<'ledger_event'>
}

export type ProviderEventsTable = {
  provider: string
  event_id: string
  type: ProviderEventType
  external_reference: string
  challenge_id: string | null
  payment_intent: string | null
  dispute_id: string | null
  amount_cents: string
  currency: string
  said_at: Date | null
  payment_reference_id: string | null
  outcome: string | null
  received_at: Time
  applied_at: Date | null
}

/** Credit set aside for a task: whole usd of an entitlement. */
export type TaskCreditsTable = {
  task_id: string
  quote_id: string
  entitlement_id: string
  units: number
  state: 'reserved' | 'used' | 'released'
  usage_receipt_id: string | null
  created_at: Time
  changed_at: Time
}

export type ProductLinksTable = {
  rail: RailKey
  tier: Tier
  url: string | null
  provider_price_usd: number
  outcome: 'live' | 'broken' | null
  checked_at: Date | null
  receipt_id: string
  changed_at: Time
}

export type CheckoutsTable = {
  checkout_id: string
  challenge_id: string
  payment_path: PaymentPath
  customer_name: string
  customer_email: string
  purchase_order: string | null
  opened_at: Time
}

export type MoneyTables = {
  quotes: QuotesTable
  entitlements: EntitlementsTable
  payment_challenges: PaymentChallengesTable
  allowance_wallets: AllowanceWalletsTable
  payment_references: PaymentReferencesTable
  postings: PostingsTable
  account_balances: AccountBalancesTable
  usage_events: UsageEventsTable
  task_credits: TaskCreditsTable
  provider_events: ProviderEventsTable
  product_links: ProductLinksTable
  checkouts: CheckoutsTable
}
