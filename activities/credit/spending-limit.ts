import { overLimit } from '#domain/agents/credential.ts'
import { refuse } from '#domain/core/errors.ts'
import { isRail } from '#domain/rails/rail.ts'
import { insistAccountAllows } from '../accounts/controls.ts'
import { findAgent, holdLimits } from '../store/agents/agents.ts'
import { findQuote } from '../store/credit/quotes.ts'
import type { ChallengeRow } from '../store/payments/challenges.ts'
import type { Tx } from '../store/postgres/db.ts'

/** The operator's limit for one payment of the agent, in whole usd; null means no limit. */
export const spendingLimit = async (tx: Tx, agentId: string): Promise<number | null> =>
  (await findAgent(tx, agentId))?.limits?.max_usd ?? null

/** Throws 403 `control_denied` for a payment over the operator's limit, which stays as it is until the transaction ends. */
export async function assertMaySpend(tx: Tx, agentId: string, usd: number): Promise<void> {
  const over = overLimit(usd, (await holdLimits(tx, agentId))?.max_usd ?? null)
  if (over !== undefined) throw refuse('control_denied', { detail: over })
}

/** Throws 403 `control_denied` where the agent's limit or the controls of its account forbid to pay a challenge. */
export async function assertMayPay(
  tx: Tx,
  agentId: string,
  challenge: ChallengeRow,
): Promise<void> {
  await assertMaySpend(tx, agentId, challenge.amount_usd)
  await insistPayment(tx, agentId, challenge)
}

/** A payment is spent by its whole amount, once for its quote whichever challenge it meets. */
export async function insistPayment(
  tx: Tx,
  agentId: string,
  { quote_id, amount_usd: usd }: Pick<ChallengeRow, 'quote_id' | 'amount_usd'>,
): Promise<void> {
  const quote = await findQuote(tx, quote_id)
  if (quote === undefined) throw new Error('a challenge is for a quote')
  // The units of a rail are runs; the months of a fee are one thing.
  const { rail, units } = quote
  const spending = isRail(rail) ? { rail, usd, units } : { rail: null, usd }
  await insistAccountAllows(tx, { agentId }, { kind: 'payment', subject: quote_id, ...spending })
}
