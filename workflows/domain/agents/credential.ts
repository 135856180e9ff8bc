import type { ErrorCode } from '../core/error-codes.ts'
import { mayAct, type TrustState } from './trust.ts'

/** What a credential may be for: each opens an operation. */
export const scopes = [
  'runs:read',
  'runs:write',
  'wallets:read',
  'wallets:write',
  'production:write',
  'controls:write',
  'exchange:write',
  'profile:write',
  'signing:use',
  'proofs:publish',
  'listings:write',
  'regression:write',
  'authority:read',
  'actions:execute',
] as const
export type Scope = (typeof scopes)[number]

/** Scopes that need no approval: none of them moves money, speaks for customers or acts under a mandate. */
const sandboxScopes: ReadonlySet<Scope> = new Set([
  'runs:read',
  'runs:write',
  'wallets:read',
  'signing:use',
])

/** Of the scopes that a sandbox agent asks for, those it gets without a review. */
export const sandboxScopesOf = (requested: readonly Scope[]): Scope[] =>
  requested.filter((scope) => sandboxScopes.has(scope))

/** Of the scopes that a sandbox agent asks for, those it does not get, each with the reason. */
export const deniedToSandbox = (requested: readonly Scope[]): { scope: Scope; reason: string }[] =>
  requested
    .filter((scope) => !sandboxScopes.has(scope))
    .map((scope) => ({
      scope,
      reason: `A sandbox agent has only ${[...sandboxScopes].join(', ')}; an agent that an operator trusts can have ${scope}.`,
    }))

/** States of credentials and of agents' signing versions. */
export const keyStates = ['pending', 'active', 'retiring', 'retired', 'revoked'] as const
export type KeyState = (typeof keyStates)[number]

/** The moves of a credential or signing version; the same pairs stand in SQL. */
export const keyMoves: Readonly<Record<KeyState, readonly KeyState[]>> = {
  pending: ['active', 'revoked'],
  active: ['retiring', 'revoked'],
  retiring: ['retired', 'revoked'],
  retired: ['revoked'],
  revoked: [],
}

/** `ag_<16 hex>_<64 hex>`: a name that is looked up, and 256 bits of which only the SHA-256 is stored. */
export const credentialText = (credentialId: string, secret: string): string =>
  `ag_${credentialId}_${secret}`

const credentialForm = /^ag_([0-9a-f]{16})_([0-9a-f]{64})$/

/** The id and the secret in the text of a credential; undefined for anything else. */
export function parseCredential(
  text: string,
): { credentialId: string; secret: string } | undefined {
  const [, credentialId, secret] = credentialForm.exec(text) ?? []
  return credentialId === undefined || secret === undefined ? undefined : { credentialId, secret }
}

/** What is known of a credential when it is judged; times in Unix seconds. */
export type CredentialFacts = {
  readonly state: KeyState
  readonly scopes: readonly Scope[]
  readonly rails: readonly string[]
  readonly expiresAt: number | null
  /** Until when one that was rotated out still works. */
  readonly retireAt: number | null
  readonly trust: TrustState
  readonly maxUsd: number | null
}

/** The state at this time. A rotated credential retires by time alone, without a change of its row. */
export function stateNow(
  { state, retireAt }: Pick<CredentialFacts, 'state' | 'retireAt'>,
  nowSeconds: number,
): KeyState {
  return state === 'retiring' && retireAt !== null && retireAt <= nowSeconds ? 'retired' : state
}

/** What a call needs of a credential: all of the scopes; `rail` and `usd` where the call names them. */
export type Wanted = {
  readonly scopes: readonly Scope[]
  readonly rail?: string | undefined
  readonly usd?: number | undefined
}
export type Denial = { readonly code: ErrorCode; readonly detail: string }

/** Why an agent may not spend so much at once; undefined where it may. `maxUsd` null is no limit. */
export const overLimit = (usd: number, maxUsd: number | null): string | undefined =>
  maxUsd !== null && usd > maxUsd ? `${usd} usd is over the agent’s limit of ${maxUsd}` : undefined

type CheckOf = {
  readonly check: 'state' | 'expiry' | 'trust' | 'scope' | 'rail' | 'amount'
  readonly code: ErrorCode
  readonly rule: string
  /** Why it fails; undefined where it passes. */
  readonly fault: (facts: CredentialFacts, wanted: Wanted, nowSeconds: number) => string | undefined
}

const isLive = (facts: CredentialFacts, nowSeconds: number): boolean =>
  ['active', 'retiring'].includes(stateNow(facts, nowSeconds))

/** The checks of a credential, in their order; the first that fails is the refusal of a call. */
export const credentialChecks: readonly CheckOf[] = [
  {
    check: 'state',
    code: 'credential_invalid',
    rule: 'The key is active, or retiring within its overlap.',
    fault: (facts, _wanted, now) =>
      isLive(facts, now) ? undefined : `the credential is ${stateNow(facts, now)}`,
  },
  {
    check: 'expiry',
    code: 'credential_invalid',
    rule: 'The key has not expired.',
    fault: (facts, _wanted, now) =>
      isLive(facts, now) && facts.expiresAt !== null && facts.expiresAt <= now
        ? 'the credential has expired'
        : undefined,
  },
  {
    check: 'trust',
    code: 'trust_required',
    rule: 'The agent is trusted, or a sandbox agent.',
    fault: ({ trust }) => (mayAct(trust) ? undefined : `the agent is ${trust}`),
  },
  {
    check: 'scope',
    code: 'scope_denied',
    rule: 'The key has every scope that the operation needs.',
    fault: ({ scopes: given }, { scopes: needed }) => {
      const missing = needed.filter((scope) => !given.includes(scope))
      return missing.length === 0
        ? undefined
        : `the credential has no scope ${missing.join(' and ')}`
    },
  },
  {
    check: 'rail',
    code: 'rail_not_allowed',
    rule: 'The key is for the rail that the call names.',
    fault: ({ rails }, { rail }) =>
      rail === undefined || rails.includes(rail)
        ? undefined
        : `the credential is not for the rail ${rail}`,
  },
  {
    check: 'amount',
    code: 'control_denied',
    rule: 'The amount is within the limit of the agent.',
    fault: ({ maxUsd }, { usd }) => (usd === undefined ? undefined : overLimit(usd, maxUsd)),
  },
]

/**
 * Every reason why the credential may not do what is wanted, in the order of the checks; none when it may. The API refuses with the
 * first; `enforce_agent_credential` lists all.
 */
export const checkCredential = (
  facts: CredentialFacts,
  wanted: Wanted,
  nowSeconds: number,
): Denial[] =>
  credentialChecks.flatMap(({ code, fault }) => {
    const detail = fault(facts, wanted, nowSeconds)
    return detail === undefined ? [] : [{ code, detail }]
  })
