import { stateNow } from '../workflows/domain/credential.ts'
import { unixSeconds } from './agents/views.ts'
import type { ReadFacts } from './callback.ts'
import { findCredential } from './store/agent-credentials.ts'
import { listReceipts } from './store/receipts.ts'
import { findTask } from './store/tasks.ts'

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
  credential_ready: async (tx, credentialId) => {
    const credential = await findCredential(tx, credentialId)
    if (credential === undefined) throw new Error(`the credential ${credentialId} is not there`)
    const state = stateNow({ state: credential.state, retireAt: unixSeconds(credential.retire_at) }, credential.readAt)
    return { agent_id: credential.agent_id, credential_id: credentialId, state, sequence: credential.version }
  },
}
