import type { ColumnType, Generated } from 'kysely'
import type { CallbackOutcome, CallbackState } from '#domain/callbacks/callback.ts'
import type { CallbackSubjectEvent } from '#domain/callbacks/callback-body.ts'

type Time = ColumnType<Date, Date | undefined, Date>

type CallbackHostsTable = { owner: string; host: string; proven_at: Time }

export type CallbackDeliveriesTable = {
  delivery_id: string
  owner: string
  event: CallbackSubjectEvent
  subject: string
  ordinal: number
  url: string
  host: string
  state: Generated<CallbackState>
  failures: Generated<number>
  next_attempt_at: Time
  created_at: Time
  finished_at: Date | null
  held_back_until: Date | null
}

export type CallbackAttemptsTable = {
  delivery_id: string
  attempt: number
  kind: 'proof' | 'delivery'
  failures_before: number
  body_sha256: string
  began_at: Time
  ended_at: Date | null
  outcome: CallbackOutcome | null
  status: number | null
  failure: string | null
}

type CallbackPostsTable = {
  scope: string
  day: ColumnType<Date, string, never>
  posts: string
}

export type CallbackInboxTable = {
  receiver: string
  delivery_id: string
  event: string
  attempts: Generated<number>
  refused: number
  first_at: Time
  received_at: Date | null
}

export type PayoutCallbacksTable = { wallet: string; url: string; changed_at: Time }

export type CallbackTables = {
  payout_callbacks: PayoutCallbacksTable
  callback_inbox: CallbackInboxTable
  callback_hosts: CallbackHostsTable
  callback_deliveries: CallbackDeliveriesTable
  callback_attempts: CallbackAttemptsTable
  callback_posts: CallbackPostsTable
}
