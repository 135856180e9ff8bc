import type { Kysely } from 'kysely'
import { creditAccount } from '../../workflows/domain/credit.ts'
import { railOf } from '../../workflows/domain/rails/index.ts'
import type { RailKey, Tier } from '../../workflows/domain/rails/rail.ts'
import { refuseTaskEvent } from '../../workflows/domain/task-lifecycle.ts'
import { findOpenChallenge } from '../store/challenges.ts'
import { type Tx, transaction } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import { listMovements } from '../store/postings.ts'
import type { Database } from '../store/schema.ts'
import { findTaskCredit, listBehindMoney } from '../store/task-credits.ts'
import { requireTask } from '../store/tasks.ts'
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

export type TaskQuoteAsked = { caller: string; rail: RailKey; tier: Tier; units: number }

/** A quote for a trusted task, whose credit is set aside before the task is told. 409 `wrong_state`, `quote_mismatch`. */
export async function quoteTask(deps: MoneyDesk, taskId: string, { rail, ...asked }: TaskQuoteAsked) {
  const quote = await transaction(deps.db, async (tx) => {
    const task = await requireTask(tx, taskId)
    const quoted = await issueQuote(tx, { ...asked, rail: railOf(rail), taskId })
    const known = await findTaskCredit(tx, taskId)
    if (task.state !== 'trusted' && known?.quote_id !== quoted.quote_id)
      throw refuseTaskEvent(task.state, 'quote_issued')
    await claimCredit(deps, tx, task, quoted.quote_id)
    return quoted
  })
  await deps.advanceTask(taskId)
  return { quote: quoteView(quote), lines: linesOf(quote) }
}

/** What a task pays with, as callers see it: its credit, and the challenge that can still be met. */
export async function moneyOfTask(deps: Pick<MoneyDesk, 'offers'>, tx: Tx, taskId: string) {
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
