/** The `typ` of a statement: no receipt, mandate or callback has it, so that a statement can never be passed off as one of them. */
export const AGENT_STATEMENT_TYP = 'agent-statement+jws'

/** How long a key has been good for, in Unix seconds; null where that time has not come. */
export type KeyLife = {
  readonly notBefore: number | null
  readonly retireAt: number | null
  readonly revokedAt: number | null
}

export type StatementKeyState = 'pending' | 'active' | 'retired' | 'revoked'

/**
 * How a key stood at the time that a statement gives itself. A revoked key proves nothing for any time, because a thief can date
 * what it signs back, and statements are stored nowhere.
 */
export function keyStateAt(
  { notBefore, retireAt, revokedAt }: KeyLife,
  issuedAt: number,
): StatementKeyState {
  if (revokedAt !== null) return 'revoked'
  if (notBefore === null || issuedAt < Math.floor(notBefore)) return 'pending'
  return retireAt !== null && issuedAt > retireAt ? 'retired' : 'active'
}

/** The key id of an agent's signing version: the agent, and the version's number. */
export const agentKeyId = (agentId: string, version: number): string => `${agentId}#${version}`

/** The agent in a key id; undefined for a key of the service. */
export const agentOfKeyId = (keyId: string): string | undefined =>
  /^(agt_[0-9a-f]{64})#[1-9][0-9]*$/.exec(keyId)?.[1]
