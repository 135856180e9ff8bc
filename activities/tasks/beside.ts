import { refuse } from '../../workflows/domain/errors.ts'
import { allowedRecoveries } from '../../workflows/domain/task-exception.ts'
import { type TaskEvent, taskStates } from '../../workflows/domain/task-lifecycle.ts'
import type { TaskEventData } from '../../workflows/domain/task-terms.ts'
import { releaseInputs } from '../store/agent-inputs.ts'
import { addDelivery, addRedelivery, latestDelivery } from '../store/callback-deliveries.ts'
import { acceptContract, insertContract, liveContract, sealContract, voidContract } from '../store/contracts.ts'
import type { Tx } from '../store/db.ts'
import { insertRun, placeRun, requireRun, restartRun } from '../store/runs.ts'
import { moveTaskException, openTaskException } from '../store/task-exceptions.ts'
import { findDocument } from '../store/tasks.ts'
import { attestTask } from './attestation.ts'
import { releaseCredit } from './credit.ts'
import type { TaskDeps } from './deps.ts'
import { closeException, openException } from './exceptions.ts'
import { assertStep, prepareRun, replayRun } from './replay-run.ts'
import { runContractOf } from './run-contract.ts'
import type { Moved } from './transition.ts'

type Act = (deps: TaskDeps, tx: Tx, moved: Moved) => Promise<void>

/** What an event has to find before it moves a task, and which records it writes beside its entry in the ledger. */
export const beside: Partial<Record<TaskEvent, { check?: Act; write?: Act }>> = {
  contract_prepared: {
    check: (_deps, tx, moved) => assertDocument(tx, moved, dataOf(moved, 'contract_prepared').terms_sha256),
    write: async (_deps, tx, moved) => {
      const { contract_id, terms_sha256 } = dataOf(moved, 'contract_prepared')
      await insertContract(tx, { contract_id, task_id: moved.after.task_id, terms_sha256 })
    },
  },
  contract_accepted: {
    check: async (_deps, tx, moved) => {
      const contract = await liveContract(tx, moved.after.task_id)
      if (contract?.terms_sha256 !== dataOf(moved, 'contract_accepted').terms_sha256)
        throw refuse('terms_mismatch', 'the contract has other terms', 'Accept the digest of the contract’s terms.')
    },
    write: (_deps, tx, { after, asked }) => acceptContract(tx, after.task_id, asked.actor),
  },
  contract_declined: { write: (_deps, tx, { after }) => voidContract(tx, after.task_id) },
  contract_lapsed: { write: (_deps, tx, { after }) => voidContract(tx, after.task_id) },
  enqueued: {
    write: async (_deps, tx, { after }) => sealContract(tx, after.task_id, await runContractOf(tx, after)),
  },
  started: { write: (_deps, tx, moved) => insertRun(tx, dataOf(moved, 'started').run_id, moved.after.task_id) },
  evidence_supplied: {
    check: (_deps, tx, moved) => assertDocument(tx, moved, dataOf(moved, 'evidence_supplied').input_sha256),
    write: (_deps, tx, { after }) => withRun(after.run_id, (runId) => restartRun(tx, runId)),
  },
  evidence_waived: {
    write: (_deps, tx, { after }) =>
      withRun(after.run_id, async (runId) => {
        const { round } = await requireRun(tx, runId)
        await placeRun(tx, runId, { step: 'return_package', round })
      }),
  },
  callback_scheduled: {
    write: async (_deps, tx, { after: { task_id, agent_id, callback_url } }) => {
      if (callback_url === null) throw refuse('wrong_state', 'the task has no callback', 'Let it close.')
      const told = { owner: agent_id ?? task_id, event: 'task_updated', subject: task_id, ordinal: 1 } as const
      await addDelivery(tx, { ...told, url: callback_url })
    },
  },
  exception_raised: {
    write: (deps, tx, moved) => openException(deps, tx, moved, dataOf(moved, 'exception_raised')),
  },
  quote_lapsed: {
    write: (deps, tx, moved) => openException(deps, tx, moved, lapse('the quote was not used in time')),
  },
  credit_lapsed: {
    write: (deps, tx, moved) => openException(deps, tx, moved, lapse('the credit was not funded in time')),
  },
  replay_prepared: {
    check: async (_deps, tx, moved) => {
      const exception = await openTaskException(tx, moved.after.task_id)
      const { action } = dataOf(moved, 'replay_prepared')
      const allowed: readonly string[] = exception === undefined ? [] : allowedRecoveries(exception.code)
      if (action === 'abandon' || !allowed.includes(action))
        throw refuse(
          'recovery_not_allowed',
          `${action} is no replay of this exception`,
          `Allowed: ${allowed.join(', ')}.`,
        )
      await assertStep(tx, moved.after.run_id, dataOf(moved, 'replay_prepared'))
    },
    write: async (_deps, tx, moved) => {
      const exception = await openTaskException(tx, moved.after.task_id)
      if (exception !== undefined) await moveTaskException(tx, exception.exception_id, 'replay_ready')
      await prepareRun(tx, moved.after.run_id, dataOf(moved, 'replay_prepared'))
    },
  },
  replayed: {
    check: async (_deps, tx, moved) => {
      const { input_sha256 } = dataOf(moved, 'replayed')
      if (input_sha256 === undefined) return
      if (taskStates.indexOf(moved.after.state) >= taskStates.indexOf('result_ready'))
        throw refuse('recovery_not_allowed', 'the result is made of the input it had', 'Replay without another input.')
      await assertDocument(tx, moved, input_sha256)
    },
    write: async (deps, tx, moved) => {
      await closeException(deps, tx, moved, 'resolved')
      await replayRun(tx, moved.after.run_id, dataOf(moved, 'replayed'))
      if (moved.after.state === 'callback_pending') await deliverAgain(tx, moved.after.task_id)
    },
  },
  abandoned: {
    write: async (deps, tx, moved) => {
      await closeException(deps, tx, moved, 'abandoned')
      await voidContract(tx, moved.after.task_id)
    },
  },
  closed: {
    write: async (deps, tx, moved) => {
      await attestTask(deps, tx, moved)
      await releaseCredit(deps, tx, moved.after.task_id)
      await releaseInputs(tx, moved.after.task_id)
    },
  },
}

const dataOf = <Event extends TaskEvent>({ asked }: Moved, _event: Event): TaskEventData[Event] =>
  asked.data as TaskEventData[Event]
const lapse = (detail: string) => ({ code: 'deadline_passed', detail }) as const

async function assertDocument(tx: Tx, { after }: Moved, sha256: string): Promise<void> {
  if ((await findDocument(tx, after.task_id, sha256)) !== undefined) return
  throw refuse('evidence_mismatch', 'nothing with this digest is stored for the task', 'Send its content first.')
}

async function withRun(runId: string | null, act: (runId: string) => Promise<void>): Promise<void> {
  if (runId !== null) await act(runId)
}

/** A callback that was refused or given up gets a new delivery; one that was taken meanwhile, or is under way, is left alone. */
async function deliverAgain(tx: Tx, taskId: string): Promise<void> {
  const latest = await latestDelivery(tx, taskId, 'task_updated')
  if (latest !== undefined && latest.state !== 'delivered') await addRedelivery(tx, latest.delivery_id)
}
