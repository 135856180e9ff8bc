import { digestOf } from '../core/canonical-json.ts'
import type { RailKey } from '../rails/rail.ts'

/** What a caller may record. */
export const recordedKinds = ['run_usage', 'tool_call', 'model_tokens', 'storage', 'other'] as const
/** `audit` is written by the service alone. */
export type UsageKind = (typeof recordedKinds)[number] | 'audit'

/** The unit of what consumes credit: one is one usd. Everything else is counted, and costs nothing by itself. */
export const CREDIT_UNIT = 'usd_credit'
/** The chain of all that no entitlement is named for. */
export const SERVICE_CHAIN = 'service'

/** One event of a hash chain; times RFC 3339 UTC. `chain` is an entitlement's id, or `SERVICE_CHAIN`. */
export type UsageEvent = {
  event_id: string
  chain: string
  sequence: number
  kind: UsageKind
  rail: RailKey | null
  units: number
  unit: string
  credit_units: number
  occurred_at: string
  recorded_at: string
  agent_id: string | null
  run_id: string | null
  subject: string | null
  usage_receipt_id: string | null
  prev_hash: string | null
}

/** SHA-256 of the canonical event, its place and the hash before it among its members. */
export const usageEventHash = (event: UsageEvent): string => digestOf(event)

const sampled = {
  event_id: `ue_${digestOf({ type: 'service.usage-sample.v1' })}`,
  chain: SERVICE_CHAIN,
  sequence: 0,
  kind: 'model_tokens',
  rail: 'tokenops',
  units: 128_000,
  unit: 'tokens',
  credit_units: 0,
  occurred_at: '2026-11-21T10:00:00.000Z',
  recorded_at: '2026-11-21T10:00:01.000Z',
  agent_id: null,
  run_id: null,
  subject: 'sample',
  usage_receipt_id: null,
  prev_hash: null,
} as const satisfies UsageEvent

/** An event as the ledger would have it, of a fixed time; it stands nowhere. */
export const sampleUsageEvent: UsageEvent & { hash: string } = {
  ...sampled,
  hash: usageEventHash(sampled),
}
