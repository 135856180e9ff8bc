import { readCredentialFacts } from '../agents/access.ts'
import type { ReadFacts } from '../callback.ts'
import { listReceipts } from '../store/receipts.ts'
import { findTask } from '../store/tasks.ts'

const TASK_PREFIX = 'task-'

/**
 * What callbacks tell, as it stands when they are sent: of a task by its id, of a credential by its id. The return package has
 * no URL: it is fetched by an operation that takes the agent's credential.
 */
export const readCallbackFacts: ReadFacts = {
  task_updated: async (tx, taskId) => {
    const task = await findTask(tx, taskId)
    if (task === undefined) throw new Error(`${taskId} is not there`)
    return {
      task_token_sha256: taskId.slice(TASK_PREFIX.length),
      run_id: task.run_id,
      state: task.state,
      sequence: task.sequence,
      receipt_ids: (await listReceipts(tx, taskId)).map(({ receipt_id }) => receipt_id),
      return_package_url: null,
    }
  },
  credential_ready: readCredentialFacts,
}
