import { refuse } from '#domain/core/errors.ts'
import { findAgent } from '../store/agents/agents.ts'
import type { Tx } from '../store/postgres/db.ts'
import { isPublicSandbox } from '../store/tasks/public-sandbox.ts'
import { countAtWork, listNextQueued, type TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from './deps.ts'
import type { Transition } from './task-event.ts'

/** How many tasks one that leaves its slot wakes at most; they wake others when they leave theirs. */
const WAKES_MAX = 8

/** Whether the task may start. The operator's decision about the agent limits its concurrent runs, or else the configuration. */
export async function slotFree({ runsAtOnce }: TaskDeps, tx: Tx, task: TaskRow): Promise<boolean> {
  const atWork = await countAtWork(tx, task)
  const agent = task.agent_id === null ? undefined : await findAgent(tx, task.agent_id)
  return (
    atWork.agent < (agent?.limits?.concurrent_runs ?? runsAtOnce.agent) &&
    atWork.rail < runsAtOnce.rail
  )
}

/** A recovery brings a run back to work past its queue; 429 `rate_limited` where sandbox runs without an agent have no free slot. */
export async function assertSlot(deps: TaskDeps, tx: Tx, { after }: Transition): Promise<void> {
  if (after.state !== 'operating' || !isPublicSandbox(after)) return
  if (await slotFree(deps, tx, after)) return
  throw refuse('rate_limited', {
    detail: 'all slots of sandbox runs without an agent are taken',
    retry_after_ms: 5000,
  })
}

/**
 * The queued tasks that may start now that this one has left its slot: as many as there are free places, because two tasks that
 * leave together would otherwise wake the same one.
 */
export async function listStartable(
  { runsAtOnce }: TaskDeps,
  tx: Tx,
  task: TaskRow,
): Promise<string[]> {
  const { rail } = await countAtWork(tx, task)
  const most = Math.min(runsAtOnce.rail - rail, WAKES_MAX)
  return most > 0 ? listNextQueued(tx, task, { atOnce: runsAtOnce.agent, most }) : []
}
