import type { StateTable } from '../core/state-table.ts'
import type { MandateTerms, SignedGrant } from './artifacts.ts'

export const mandateStates = ['active', 'exhausted', 'expired', 'revoked'] as const
export type MandateState = (typeof mandateStates)[number]
export const grantStates = ['issued', 'consumed', 'expired', 'revoked'] as const
export type GrantState = (typeof grantStates)[number]
export const actionStates = ['reserved', 'started', 'done', 'refused'] as const
export type ActionState = (typeof actionStates)[number]

/** The state table of a delegated action. */
export const actionTransitions: StateTable<ActionState, 'start' | 'finish' | 'refuse'> = {
  reserved: { start: 'started', refuse: 'refused' },
  started: { finish: 'done', refuse: 'refused' },
  done: {},
  refused: {},
}

/** Why a presented artifact is not one of ours; undefined for one that is. */
export type Flaw = 'schema' | 'signature' | 'unknown'

/** A mandate as it was presented, with what is stored about it. */
export type MandateFacts =
  | { readonly flaw: Flaw }
  | {
      readonly terms: MandateTerms
      readonly revoked: boolean
      readonly used: { readonly usd: number; readonly actions: number }
      readonly mandateId: string
    }
/** A grant as it was presented; `state` is what is stored about it, without its time. */
export type GrantFacts =
  | { readonly flaw: Flaw }
  | {
      readonly terms: Pick<
        SignedGrant,
        'mandate_id' | 'agent_id' | 'operation_id' | 'input_sha256' | 'spend_usd_max' | 'expires_at'
      >
      readonly state: Exclude<GrantState, 'expired'>
    }

/** Everything that an evaluation depends on; times in milliseconds. */
export type AuthorityFacts = {
  readonly nowMs: number
  readonly agentId: string
  readonly mandate: MandateFacts
  /** Undefined where the question is whether a grant may be issued. */
  readonly grant: GrantFacts | undefined
  readonly action: {
    readonly operationId: string
    readonly delegable: boolean
    readonly inputSha256: string
    readonly rails: readonly string[]
    /** The wallets, credits and references that the input names to pay with. */
    readonly resources: readonly string[]
    /** What the operation computes; undefined where it refuses the input. */
    readonly priceUsd: number | undefined
    /** The caller's upper limit. */
    readonly spendUsd: number | undefined
  }
}

type Stored = Extract<MandateFacts, { terms: MandateTerms }>

/** The state of a mandate at this time; one that is revoked stays so. */
export function mandateStateAt({ terms, revoked, used }: Stored, nowMs: number): MandateState {
  const { total_usd, actions_max } = terms.limits
  if (revoked) return 'revoked'
  if (nowMs >= Date.parse(terms.expires_at)) return 'expired'
  const spent = total_usd > 0 && used.usd >= total_usd
  return spent || used.actions >= actions_max ? 'exhausted' : 'active'
}

/** The state of a grant at this time. */
export function grantStateAt(
  { state, terms }: Extract<GrantFacts, { terms: unknown }>,
  nowMs: number,
): GrantState {
  return state === 'issued' && nowMs >= Date.parse(terms.expires_at) ? 'expired' : state
}

/** What a mandate still permits. */
export function remainingOf({ terms, used }: Pick<Stored, 'terms' | 'used'>): {
  usd: number
  actions: number
} {
  const { total_usd, actions_max } = terms.limits
  return { usd: total_usd - used.usd, actions: actions_max - used.actions }
}
