import { digestOf } from './canonical-json.ts'

/** What a caller may record (endpoints.md §8); `audit` is written by the service alone. */
export const usageKinds = ['run_usage', 'tool_call', 'model_tokens', 'storage', 'other', 'audit'] as const
export type UsageKind = (typeof usageKinds)[number]

/** One event of a hash chain; times RFC 3339 UTC. `chain` is an entitlement's id, or `service`. */
export type UsageEvent = {
  event_id: string
  chain: string
  sequence: number
  kind: UsageKind
  rail: string | null
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

/** The place at which a chain, oldest first and from its beginning, is broken; undefined where it is whole. */
export function brokenAt(chain: readonly (UsageEvent & { hash: string })[]): number | undefined {
  const at = chain.findIndex(
    ({ hash, ...event }, index) =>
      event.sequence !== index ||
      event.prev_hash !== (chain[index - 1]?.hash ?? null) ||
      hash !== usageEventHash(event),
  )
  return at < 0 ? undefined : at
}
