import { findAgent } from '../store/agents.ts'
import type { Tx } from '../store/db.ts'
import { countAtWork, listNextQueued, type TaskRow } from '../store/tasks.ts'
import type { TaskDeps } from './deps.ts'

/** Who leaves a slot tells no more than this; those whom it tells will leave theirs. */
const TOLD_MAX = 8

/** An operator's decision about the agent says how many of its runs go on at once; where it is silent, the configuration does. */
export async function slotFree({ runsAtOnce }: TaskDeps, tx: Tx, task: TaskRow): Promise<boolean> {
  const atWork = await countAtWork(tx, task)
  const agent = task.agent_id === null ? undefined : await findAgent(tx, task.agent_id)
  return atWork.agent < (agent?.limits?.concurrent_runs ?? runsAtOnce.agent) && atWork.rail < runsAtOnce.rail
}

/**
 * Who may begin now that this task has left its slot: as many as there are places and not one, because two that leave together
 * would tell the same.
 */
export async function listWoken({ runsAtOnce }: TaskDeps, tx: Tx, task: TaskRow): Promise<string[]> {
  const { rail } = await countAtWork(tx, task)
  const most = Math.min(runsAtOnce.rail - rail, TOLD_MAX)
  return most > 0 ? listNextQueued(tx, task, { atOnce: runsAtOnce.agent, most }) : []
}
