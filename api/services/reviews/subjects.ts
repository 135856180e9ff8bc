import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { agentSubject } from './agent.ts'
import { clearingSubject } from './clearing.ts'
import { commerceProofSubject } from './commerce-proof.ts'
import { listingSubject } from './listing.ts'
import { loopStepSubject } from './loop-step.ts'
import { referenceSubject } from './payment-reference.ts'
import { pilotSubject } from './pilot.ts'
import { recoverySubject } from './recovery.ts'
import { candidateSubject } from './service-candidate.ts'
import type { ReviewSubject } from './subject.ts'
import { taskSubject } from './task.ts'
import { workOrderSubject } from './work-order.ts'
import { workflowSubject } from './workflow.ts'

/** Every kind of subject that waits for a decision. */
export const reviewSubjects = (deps: TaskDeps): ReviewSubject[] => [
  agentSubject,
  candidateSubject,
  taskSubject(deps),
  loopStepSubject(deps),
  recoverySubject(deps),
  workOrderSubject(deps),
  referenceSubject(deps),
  commerceProofSubject,
  pilotSubject(deps),
  listingSubject,
  clearingSubject,
  workflowSubject,
]

/** For each kind, how many subjects wait, and for how many seconds the oldest has waited. */
export function countWaiting(db: Tx, subjects: readonly ReviewSubject[]) {
  const all = { untouched: false }
  return Promise.all(
    subjects.map(async ({ kind, count, list }) => {
      const [waiting, [oldest]] = await Promise.all([count(db, all), list(db, all, 1)])
      const since = oldest?.since.getTime() ?? Date.now()
      return { kind, waiting, oldestSeconds: (Date.now() - since) / 1000 }
    }),
  )
}
