import { type CredentialFacts, checkCredential, type Denial } from '#domain/agents/credential.ts'
import { accessWithin } from '#domain/agents/trust-limits.ts'
import { unixSeconds } from '#domain/core/time.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'

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
