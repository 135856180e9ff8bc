import { overLimit } from '#domain/agents/credential.ts'
import { refuse } from '#domain/core/errors.ts'
import { findAgent, holdLimits } from '../store/agents/agents.ts'
import type { Tx } from '../store/postgres/db.ts'

/** The operator's limit for one payment of the agent, in whole usd; null means no limit. */
export const spendingLimit = async (tx: Tx, agentId: string): Promise<number | null> =>
  (await findAgent(tx, agentId))?.limits?.max_usd ?? null

/** Throws 403 `control_denied` for a payment over the operator's limit, which stays as it is until the transaction ends. */
export async function assertMaySpend(tx: Tx, agentId: string, usd: number): Promise<void> {
  const over = overLimit(usd, (await holdLimits(tx, agentId))?.max_usd ?? null)
  if (over !== undefined) throw refuse('control_denied', { detail: over })
}
