import { type CredentialFacts, checkCredential, type Denial } from '#domain/agents/credential.ts'
import { accessWithin } from '#domain/agents/trust-limits.ts'
import { refuse } from '#domain/core/errors.ts'
import { unixSeconds } from '#domain/core/time.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { AgentRow } from '../../activities/store/agents/agents.ts'

/** What the checks need to know of a credential. */
export function factsOf(credential: CredentialOfAgent): CredentialFacts {
  return {
    state: credential.state,
    ...accessWithin(credential.limits, credential),
    expiresAt: endOf(credential),
    retireAt: unixSeconds(credential.retire_at),
    trust: credential.trust_state,
    maxUsd: credential.limits?.max_usd ?? null,
  }
}

/** Why an access key is good for nothing, whatever it asks for; undefined for a good one. */
export const denialOf = (credential: CredentialOfAgent): Denial | undefined =>
  checkCredential(factsOf(credential), { scopes: [] }, credential.readAt)[0]

/** When the key ends: by its own life, or earlier by the age that the controls of its account allow. */
function endOf({ expires_at, claimed_at, maxAgeDays }: CredentialOfAgent): number | null {
  const [expiry, claimed] = [unixSeconds(expires_at), unixSeconds(claimed_at)]
  if (claimed === null || maxAgeDays === null) return expiry
  return Math.min(expiry ?? Number.POSITIVE_INFINITY, claimed + maxAgeDays * 86_400)
}

type Wanted = Parameters<typeof checkCredential>[1]

/** Throws 401 or 403 unless the access key is good and covers what is wanted of it. */
export function assertCovers(credential: CredentialOfAgent, wanted: Wanted): void {
  const [denial] = checkCredential(factsOf(credential), wanted, credential.readAt)
  if (denial !== undefined) throw refuse(denial.code, { detail: denial.detail })
}

/** Whether an agent registered for this rail and the decision about it allows it. */
export const isFor = (
  { rails, limits }: Pick<AgentRow, 'rails' | 'limits'>,
  rail: RailKey,
): boolean => rails.includes(rail) && (limits?.rails?.includes(rail) ?? true)
