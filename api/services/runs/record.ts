import { receiptView } from '../../../activities/keys/receipt-view.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listDecisionsAbout } from '../../../activities/store/reviews/review-decisions.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { contractOf } from '../tasks/contract-terms.ts'
import { recordOf } from '../tasks/replay-package.ts'
import { taskView } from '../tasks/views.ts'
import { completionOf } from './completion.ts'

/** What stands around the package of a locked task: its order, reviews, receipts, and the record that proves them. */
export async function readRecord({ issuer }: Pick<TaskDeps, 'issuer'>, tx: Tx, taskId: string) {
  const task = await requireTask(tx, taskId)
  const replay = await recordOf(issuer, tx, task)
  const terms = await contractOf(tx, taskId)
  const { criteria } = await completionOf(tx, task)
  const decisions = await listDecisionsAbout(tx, [taskId, runIdOf(taskId)])
  return {
    replay,
    task: await taskView(tx, task),
    ordered: terms === undefined ? [] : terms.scope.filter((line) => line !== ''),
    criteria,
    review_policy: terms?.review_policy ?? null,
    reviews: decisions.map(({ decided_at, ...decision }) => ({
      ...decision,
      decided_at: decided_at.toISOString(),
    })),
    receipts: replay.receipts
      .map(receiptView)
      .toSorted((one, other) => Date.parse(one.issued_at) - Date.parse(other.issued_at)),
  }
}
