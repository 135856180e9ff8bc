import { overLimit } from '../../workflows/domain/credential.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { findAgent } from '../store/agents.ts'
import type { Tx } from '../store/db.ts'

/** What an operator lets the agent spend at once, in whole usd; null is no limit. */
export const spendingLimit = async (tx: Tx, agentId: string): Promise<number | null> =>
  (await findAgent(tx, agentId))?.limits?.max_usd ?? null

/** Throws 403 `control_denied` for a payment over what an operator lets the agent spend at once. */
export async function assertMaySpend(tx: Tx, agentId: string, usd: number): Promise<void> {
  const over = overLimit(usd, await spendingLimit(tx, agentId))
  if (over !== undefined) throw refuse('control_denied', over, 'Ask an operator to widen it.')
}
