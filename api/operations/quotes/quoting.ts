import type { Context } from '../../context.ts'
import type { QuoteAsked } from '../../services/credit/quotes.ts'
import { agentIdOf, orderOf } from '../agents/caller.ts'
import { dryReadInput } from '../tasks/input-shapes.ts'

/** The input of the run that a quote is for. */
export const DryReadInput = dryReadInput('a price is given')

/** The agent that a quote is for; a sandbox run and an order without an agent have none. */
const quotedAgent = (context: Context): string | undefined => agentIdOf(context) || undefined

/** A quote for the agent that calls, or for the one who presents its token. */
export async function quoted(context: Context, asked: Omit<QuoteAsked, 'agentId'>) {
  const quote = await context.quotes.issue(
    { ...asked, agentId: quotedAgent(context) },
    context.callId,
  )
  return { body: quote }
}

/** The answer with the token of its quote, where it is for no agent and no order. */
export const withQuoteToken = async (
  answer: Record<string, unknown>,
  context: Context,
): Promise<Record<string, unknown>> =>
  quotedAgent(context) === undefined && orderOf(context) === undefined
    ? context.quotes.withToken(answer, context.callId)
    : answer
