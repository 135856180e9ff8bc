import { findAgentByToken } from '../../activities/store/agents/agents.ts'
import { findPilot } from '../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { isPublicSandbox } from '../../activities/store/tasks/public-sandbox.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../activities/store/work-orders/work-orders.ts'
import type { FindTokens } from './status-token.ts'

/** Finds the record of a status token: an agent, a work order, a pilot or a task. */
export function findTokenSubjects(db: Tx): FindTokens {
  return {
    st: async (tokenSha256) => {
      const agent = await findAgentByToken(db, tokenSha256)
      return agent && { subjectId: agent.agent_id, agentId: agent.agent_id }
    },
    wt: async (tokenSha256) => {
      const order = await findWorkOrder(db, { status_token_sha256: tokenSha256 })
      return (
        order && {
          subjectId: order.work_order_id,
          agentId: order.agent_id ?? '',
          keyless: order.agent_id === null,
        }
      )
    },
    pt: async (tokenSha256) => {
      const pilot = await findPilot(db, { status_token_sha256: tokenSha256 })
      return pilot && { subjectId: pilot.pilot_id, agentId: '', keyless: true }
    },
    tk: async (tokenSha256) => {
      const task = await findTask(db, `task-${tokenSha256}`)
      return (
        task && {
          subjectId: task.task_id,
          agentId: task.agent_id ?? '',
          keyless: isPublicSandbox(task),
        }
      )
    },
  }
}
