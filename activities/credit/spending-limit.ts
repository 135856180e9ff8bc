import { overLimit } from '#domain/agents/credential.ts'
import { refuse } from '#domain/core/errors.ts'
import { insistAccountAllows } from '../accounts/controls.ts'
import { findAgent, holdLimits } from '../store/agents/agents.ts'
import { findQuote } from '../store/credit/quotes.ts'
import type { ChallengeRow } from '../store/payouts/challenges.ts'
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
  { challenge_id: subject, quote_id, amount_usd }: ChallengeRow,
): Promise<void> {
  await assertMaySpend(tx, agentId, amount_usd)
  await insistPayment(tx, agentId, { challenge_id: subject, quote_id, amount_usd })
}

/** The run that a payment is for is counted for its account when its credit is reserved, so the payment is not. */
export async function insistPayment(
  tx: Tx,
  agentId: string,
  challenge: Pick<ChallengeRow, 'challenge_id' | 'quote_id' | 'amount_usd'>,
): Promise<void> {
  const { challenge_id: subject, quote_id, amount_usd } = challenge
  const quote = await findQuote(tx, quote_id)
  const usd = amount_usd / (quote?.units ?? 1)
  const spend = {
    kind: 'payment',
    subject,
    rail: quote?.rail ?? null,
    usd,
    counted: false,
  } as const
  await insistAccountAllows(tx, { agentId }, spend)
}
