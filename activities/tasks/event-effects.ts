import { refuse } from '#domain/core/errors.ts'
import { allowedRecoveries } from '#domain/tasks/exception.ts'
import { type TaskEvent, taskStates } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { setProofDue } from '../store/commerce/proof-loops.ts'
import { releaseInputs } from '../store/inputs/agent-inputs.ts'
import { endPilotRun } from '../store/pilots/runs.ts'
import type { Tx } from '../store/postgres/db.ts'
import { insertRun, leaveStep, placeRun, requireRun, restartRun } from '../store/runs/runs.ts'
import {
  acceptContract,
  insertContract,
  liveContract,
  sealContract,
  voidContract,
} from '../store/tasks/contracts.ts'
import {
  declineInput,
  moveTaskException,
  openTaskException,
  proposeInput,
  type TaskExceptionRow,
} from '../store/tasks/task-exceptions.ts'
import { findDocument } from '../store/tasks/tasks.ts'
import { attestTask, hasCompleted } from './attestation.ts'
import { redeliver, reportFailure, scheduleCallback } from './callbacks.ts'
import type { TaskDeps } from './deps.ts'
import { closeEvidenceGap, closeException, openException } from './exceptions.ts'
import { acceptDelivery, closeClaim, refuseDelivery } from './exchange.ts'
import { closeProductionRun } from './first-paid-run.ts'
import { assertStep, prepareRun, replayRun } from './replay-run.ts'
import { runContractOf } from './run-contract.ts'
import { accrueRunFees } from './run-fees.ts'
import { assertSlot } from './slots.ts'
import type { Transition } from './task-event.ts'

type Effect = (deps: TaskDeps, tx: Tx, transition: Transition) => Promise<void>

/** What an event checks before it moves a task, and the records that it writes together with its entry in the ledger. */
export const eventEffects: Partial<Record<TaskEvent, { check?: Effect; write?: Effect }>> = {
  contract_prepared: {
    check: (_deps, tx, transition) =>
      assertDocument(tx, transition, dataOf(transition, 'contract_prepared').terms_sha256),
    write: async (_deps, tx, transition) => {
      const { contract_id, terms_sha256 } = dataOf(transition, 'contract_prepared')
      await insertContract(tx, { contract_id, task_id: transition.after.task_id, terms_sha256 })
    },
  },
  contract_accepted: {
    check: async (_deps, tx, transition) => {
      const contract = await liveContract(tx, transition.after.task_id)
      if (contract?.terms_sha256 !== dataOf(transition, 'contract_accepted').terms_sha256)
        throw refuse('terms_mismatch', { detail: 'the contract has other terms' })
    },
    write: (_deps, tx, { after, input }) => acceptContract(tx, after.task_id, input.actor),
  },
  contract_declined: { write: (_deps, tx, { after }) => voidContract(tx, after.task_id) },
  contract_lapsed: { write: (_deps, tx, { after }) => voidContract(tx, after.task_id) },
  enqueued: {
    write: async (_deps, tx, { after }) =>
      sealContract(tx, after.task_id, await runContractOf(tx, after)),
  },
  started: {
    write: (_deps, tx, transition) =>
      insertRun(tx, dataOf(transition, 'started').run_id, transition.after.task_id),
  },
  evidence_missing: { write: openException },
  evidence_supplied: {
    check: async (deps, tx, transition) => {
      await assertDocument(tx, transition, dataOf(transition, 'evidence_supplied').input_sha256)
      await assertSlot(deps, tx, transition)
    },
    write: async (deps, tx, transition) => {
      await closeEvidenceGap(deps, tx, transition)
      await withRun(transition.after.run_id, (runId) => restartRun(tx, runId))
    },
  },
  evidence_waived: {
    write: async (deps, tx, transition) => {
      await closeEvidenceGap(deps, tx, transition)
      await withRun(transition.after.run_id, async (runId) => {
        const { round } = await requireRun(tx, runId)
        // The review of the result remains.
        await placeRun(tx, runId, { step: 'revision_loop', round })
      })
    },
  },
  callback_scheduled: { write: (_deps, tx, { after }) => scheduleCallback(tx, after) },
  result_attested: {
    write: async (_deps, tx, { after }) => {
      await acceptDelivery(tx, after)
      await endPilotRun(tx, after.task_id, 'delivered')
    },
  },
  exception_raised: {
    write: async (deps, tx, transition) => {
      await openException(deps, tx, transition)
      await refuseDelivery(tx, transition.after.task_id, dataOf(transition, 'exception_raised'))
    },
  },
  quote_lapsed: { write: openException },
  credit_lapsed: { write: openException },
  input_proposed: {
    check: (_deps, tx, transition) =>
      assertDocument(tx, transition, dataOf(transition, 'input_proposed').proposed_input_sha256),
    write: async (_deps, tx, transition) => {
      const { proposed_input_sha256: sha256, note } = dataOf(transition, 'input_proposed')
      const { exception_id } = await stopping(tx, transition)
      await proposeInput(tx, exception_id, { sha256, note })
    },
  },
  input_declined: {
    write: async (_deps, tx, transition) => {
      const { declined_input_sha256: input_sha256, reason } = dataOf(transition, 'input_declined')
      const { exception_id } = await stopping(tx, transition)
      const { actor: by, at } = transition.entry
      await declineInput(tx, exception_id, { input_sha256, reason, by, at })
    },
  },
  replay_prepared: {
    check: async (_deps, tx, transition) => {
      const exception = await openTaskException(tx, transition.after.task_id)
      const { action } = dataOf(transition, 'replay_prepared')
      const allowed: readonly string[] =
        exception === undefined ? [] : allowedRecoveries(exception.code)
      if (action === 'abandon' || !allowed.includes(action))
        throw refuse('recovery_not_allowed', {
          detail: `${action} does not replay this exception`,
          next_action: `Allowed: ${allowed.join(', ')}.`,
        })
      await assertStep(tx, transition.after.run_id, dataOf(transition, 'replay_prepared'))
    },
    write: async (_deps, tx, transition) => {
      const exception = await openTaskException(tx, transition.after.task_id)
      if (exception !== undefined)
        await moveTaskException(tx, exception.exception_id, 'replay_ready')
      await prepareRun(tx, transition.after.run_id, dataOf(transition, 'replay_prepared'))
    },
  },
  replayed: {
    check: async (deps, tx, transition) => {
      await assertSlot(deps, tx, transition)
      const { input_sha256 } = dataOf(transition, 'replayed')
      if (input_sha256 === undefined) return
      if (taskStates.indexOf(transition.after.state) >= taskStates.indexOf('result_ready'))
        throw refuse('recovery_not_allowed', {
          detail: 'the result was made from the earlier input',
          next_action: 'Replay without another input.',
        })
      await assertDocument(tx, transition, input_sha256)
    },
    write: async (deps, tx, transition) => {
      await closeException(deps, tx, transition)
      await replayRun(tx, transition.after.run_id, dataOf(transition, 'replayed'))
      if (transition.after.state === 'callback_pending')
        await redeliver(tx, transition.after.task_id)
    },
  },
  abandoned: {
    write: async (deps, tx, transition) => {
      await closeException(deps, tx, transition)
      await closeEvidenceGap(deps, tx, transition)
      await voidContract(tx, transition.after.task_id)
    },
  },
  closed: {
    write: async (deps, tx, transition) => {
      await attestTask(deps, tx, transition)
      await accrueRunFees(deps, tx, transition.after)
      await releaseInputs(tx, transition.after.task_id)
      await closeClaim(tx, transition.after.task_id)
      await leaveStep(tx, transition.after.task_id)
      await closeProductionRun(deps, tx, transition)
      if (await hasCompleted(tx, transition)) return setProofDue(tx, transition.after.task_id)
      await endPilotRun(tx, transition.after.task_id, 'closed')
      await reportFailure(tx, transition.after)
    },
  },
}

const dataOf = <Event extends TaskEvent>(
  { input }: Transition,
  _event: Event,
): TaskEventData[Event] => input.data as TaskEventData[Event]

async function stopping(tx: Tx, { after }: Transition): Promise<TaskExceptionRow> {
  const exception = await openTaskException(tx, after.task_id)
  if (exception === undefined) throw new Error(`no exception stops ${after.task_id}`)
  return exception
}

async function assertDocument(tx: Tx, { after }: Transition, sha256: string): Promise<void> {
  if ((await findDocument(tx, after.task_id, sha256)) !== undefined) return
  throw refuse('evidence_mismatch', {
    detail: 'no document with this digest is stored for the task',
    next_action: 'Send its content first.',
  })
}

async function withRun(
  runId: string | null,
  change: (runId: string) => Promise<void>,
): Promise<void> {
  if (runId !== null) await change(runId)
}
