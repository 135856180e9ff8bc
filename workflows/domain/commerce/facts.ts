import type { TrustState } from '../agents/trust.ts'
import type { Claim, PackageItem } from './claims.ts'
import type { MissionKind, ProtocolBinding } from './missions.ts'

/** An agent whose access key the call presents. */
export type ProvenAgent = {
  readonly agentId: string
  readonly trust: TrustState
  readonly rails: readonly string[]
}

/** A package of this service as its record has it; `null` for one that is not on record for this agent. */
export type RecordedPackage = {
  readonly rail: string
  readonly usage: 'synthetic' | 'operational'
  /** Unix seconds. */
  readonly madeAt: number
  /** The checks of the package that do not hold: its digests, its proof hash and its completion signature. */
  readonly faults: readonly string[]
  readonly isReviewed: boolean
}

/** The handoff pack or the delivered pilot that a mission id names. */
export type MissionRecord = {
  readonly usage: 'synthetic' | 'operational' | 'unspecified'
  /** Unix seconds: when the pack was signed, or the pilot came to its present state. */
  readonly at: number
}

/** Evidence: a text that was hashed, a digest alone, or a receipt of this service. */
export type EvidenceItem = {
  readonly id: string
  /** Unix seconds; of a receipt its signed date, otherwise the caller's. */
  readonly dated: number | null
  readonly given: boolean
  readonly receipt:
    | null
    | { readonly found: false }
    | { readonly found: true; readonly verified: boolean; readonly agentId: string | null }
}

/** A payment as ledger and chain have it. `order`: whether it paid for this mission, for another one, or for none yet. */
export type PaymentFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  /** The work has no price. */
  | { readonly kind: 'free' }
  | {
      readonly kind: 'recorded'
      readonly method: string
      readonly state: string
      readonly amountUsd: number
      readonly namedUsd: number | null
      /** What the ledger posted under the settlement receipt, in whole usd. */
      readonly postedUsd: number
      readonly order: 'this' | 'other' | 'none'
      /** Why the chain does not confirm it now; null where it does, or where the ledger alone decides. */
      readonly chainFault: string | null
    }

export type MandateFacts =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'recorded'
      readonly inForce: boolean
      readonly revoked: boolean
      readonly rails: readonly string[]
    }

/** Everything that a decision is computed from; texts of the caller are in items, claims and evidence alone. */
export type CommerceFacts = {
  readonly kind: MissionKind
  readonly binding: ProtocolBinding | null
  readonly agent: ProvenAgent | null
  readonly items: readonly PackageItem[]
  readonly claims: readonly Claim[]
  readonly evidence: readonly EvidenceItem[]
  /** Undefined where the package is inline. */
  readonly recorded: RecordedPackage | null | undefined
  /** Whether the mission id is a work order of this agent, with a result of every run of it. */
  readonly ownsFinishedOrder: boolean
  /** Null where the mission id is no handoff pack with a wallet of this agent, and no delivered pilot of it. */
  readonly record: MissionRecord | null
  /** How the run of the mission was started by its record; null where there is no record of that. */
  readonly startedBy: 'mcp' | 'http' | null
  readonly payment: PaymentFacts
  readonly mandate: MandateFacts
  /** Whether the wallet that the request names is one that the account of the agent bound; null where it names none. */
  readonly walletIsBound: boolean | null
  /** The earlier proof of the same package, or of the same handoff pack or pilot; of another agent or of none without its id. */
  readonly duplicate:
    | null
    | { readonly of: 'package' | 'mission'; readonly proofId: string }
    | 'foreign'
    | 'anonymous'
  readonly usage: 'synthetic' | 'operational' | 'unspecified'
  /** Unix seconds. */
  readonly now: number
}
