import type { Kysely } from 'kysely'
import { creditAccount } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { railOf } from '../../workflows/domain/rails/index.ts'
import type { RailKey, Tier } from '../../workflows/domain/rails/rail.ts'
import { refuseTaskEvent } from '../../workflows/domain/task-lifecycle.ts'
import { taskIdOf } from '../keys/derived-tokens.ts'
import { findOpenChallenge } from '../store/challenges.ts'
import { type Tx, transaction } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import { listMovements } from '../store/postings.ts'
import { findQuote } from '../store/quotes.ts'
import type { Database } from '../store/schema.ts'
import { findTaskCredit, listBehindMoney } from '../store/task-credits.ts'
import { requireTask, type TaskRow } from '../store/tasks.ts'
import { listOrderedTasks } from '../store/work-orders.ts'
import { claimCredit } from '../tasks/credit.ts'
import type { MoneyDesk } from './desk.ts'
import { issueQuote } from './quotes.ts'
import { challengeView, entitlementView, linesOf, quoteView } from './views.ts'

type Telling = { db: Kysely<Database>; tellTask(taskId: string): Promise<unknown> }

/** Of credit for many runs; a call does not wait for all of them. */
const TOLD_AT_ONCE = 20

/** Tells tasks that stand behind what is stored of their money; who is not told now is found by the workers' sweep. */
export async function tellTasks(
  { db, tellTask }: Telling,
  of: { entitlementId: string } | { quoteId: string },
): Promise<void> {
  const behind = await listBehindMoney(db, of)
  await Promise.allSettled(behind.slice(0, TOLD_AT_ONCE).map(tellTask))
}

export type TaskQuoteAsked = { rail: RailKey; tier: Tier; units: number }

/**
 * A quote for a trusted task, whose credit is set aside before the task is told; asked for again, the one that the task has. 409
 * `wrong_state`, `quote_mismatch`.
 */
export async function quoteTask(deps: MoneyDesk, taskId: string, asked: TaskQuoteAsked) {
  const quote = await transaction(deps.db, async (tx) => {
    const task = await requireTask(tx, taskId)
    const known = await quoteOfTask(tx, task, asked)
    if (known !== undefined) return known
    if (task.state !== 'trusted') throw refuseTaskEvent(task.state, 'quote_issued')
    const rail = railOf(asked.rail)
    const discovery = rail.prices === null && task.usage === 'synthetic'
    const owner = task.agent_id ?? taskId
    const quoted = await issueQuote(tx, { ...asked, by: { owner }, rail, taskId, discovery })
    await claimCredit(deps, tx, task, quoted.quote_id)
    return quoted
  })
  await deps.advanceTask(taskId)
  return { quote: quoteView(quote), lines: linesOf(quote) }
}

/** The quote that was issued for the task, where it is for the same and still holds. */
async function quoteOfTask(tx: Tx, { task_id }: TaskRow, { rail, tier, units }: TaskQuoteAsked) {
  const credit = await findTaskCredit(tx, task_id)
  const quote = credit && (await findQuote(tx, credit.quote_id))
  if (quote === undefined || quote.expired || quote.used || quote.task_id !== task_id) return undefined
  return quote.rail === rail && quote.tier === tier && quote.units === units ? quote : undefined
}

/** A quote for the next run of an order that waits for one, or for the run whose token is given. 409 `wrong_state`. */
export async function quoteOrder(
  deps: MoneyDesk,
  workOrderId: string,
  { taskToken, ...asked }: TaskQuoteAsked & { taskToken?: string | undefined },
) {
  const tasks = await listOrderedTasks(deps.db, workOrderId)
  const named = taskToken === undefined ? undefined : taskIdOf(taskToken)
  const fitting = tasks.filter(({ task_id, rail, tier }) =>
    named === undefined ? rail === asked.rail && tier === asked.tier : task_id === named,
  )
  const next = fitting.find(({ state }) => state === 'trusted') ?? fitting[0]
  if (next !== undefined) return quoteTask(deps, next.task_id, asked)
  throw refuse('quote_mismatch', 'the order has no such run', 'Name the rail and tier of one of its runs.')
}

/** What a task pays with, as callers see it: its credit, and the challenge that can still be met. */
export async function moneyOfTask(deps: Pick<MoneyDesk, 'offers' | 'providers'>, tx: Tx, taskId: string) {
  const credit = await findTaskCredit(tx, taskId)
  const entitlement = credit && (await findEntitlement(tx, credit.entitlement_id))
  if (credit === undefined || entitlement === undefined) return { entitlement: null, challenge: null }
  const challenge = await findOpenChallenge(tx, credit.quote_id)
  const movements = await listMovements(tx, creditAccount(entitlement.entitlement_id))
  return {
    entitlement: entitlementView(entitlement, movements),
    challenge: challenge === undefined ? null : { ...challengeView(deps, challenge), mandate: null },
  }
}
