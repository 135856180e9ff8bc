import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { verifyLedger } from '#domain/tasks/ledger.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { findOpenReview } from '../../activities/store/runs/runs.ts'
import { openTaskException } from '../../activities/store/tasks/task-exceptions.ts'
import { findTask, listLedger } from '../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import { provideInput } from '../../api/services/tasks/input.ts'
import { recoverTask } from '../../api/services/tasks/recover-task.ts'
import type { RecoveryRequest } from '../../api/services/tasks/recovery.ts'
import { isRunning } from '../../temporal/running.ts'
import { wakeOlderThan } from '../support/late.ts'
import { quietRuntime } from '../support/quiet.ts'
import { approved, creditFor, reviewed } from '../support/task-evidence.ts'
import { verifies } from '../verifies.ts'
import { startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  fixture = await startTaskWorkflows()
  await fixture.serve()
})
afterAll(() => fixture?.stop())

/** A task that is paid for and has its input and its approval, on its way. */
async function begun(
  changed: Partial<TaskTerms> = {},
  body: unknown = packetops.sandboxInput,
): Promise<string> {
  const { task_id } = await fixture.tasks.taskIn('credit_funded', {
    callback_url: null,
    ...changed,
  })
  await transaction(fixture.db, (tx) => provideInput(tx, task_id, body))
  if (changed.usage === 'operational') await approved(fixture.tasks.deps, task_id)
  await fixture.gateway.wake(task_id)
  return task_id
}
const reaches = (taskId: string, state: string) =>
  expect.poll(async () => (await findTask(fixture.db, taskId))?.state).toBe(state)
/** The exception that stops the task, with its cause. */
const stopped = async (taskId: string) => {
  await reaches(taskId, 'exception_open')
  return openTaskException(fixture.db, taskId)
}
const recover = async (taskId: string, action: RecoveryRequest['action'], input?: unknown) => {
  const exceptionId = (await openTaskException(fixture.db, taskId))?.exception_id
  // An operator's input would only be proposed.
  const who =
    input === undefined
      ? { actor: 'operator:1', decided: true, note: '' }
      : { actor: 'agent:1', decided: false, note: '' }
  const ask = {
    taskId,
    exceptionId,
    action,
    input,
    ...who,
    recoveryId: `rec_${randomBytes(8).toString('hex')}`,
  }
  await transaction(fixture.db, (tx) => recoverTask(fixture.tasks.deps, tx, ask))
  await fixture.gateway.wake(taskId)
}
const home = async (taskId: string) => {
  await reaches(taskId, 'attested')
  const head_hash = (await findTask(fixture.db, taskId))?.head_hash
  expect(verifyLedger(taskId, await listLedger(fixture.db, taskId))).toEqual({
    ok: true,
    head_hash,
  })
  await fixture.replay(taskId)
}
const decide = async (taskId: string, decision: 'approve' | 'revise', round: number) => {
  const runId = runIdOf(taskId)
  await expect.poll(async () => (await findOpenReview(fixture.db, runId))?.round).toBe(round)
  await reviewed(fixture.tasks.deps, runId, decision)
  await fixture.gateway.wake(taskId)
}

verifies('task.exception.run', 'an input that the rail refuses is corrected', async () => {
  const taskId = await begun({}, { no: 'packet' })
  expect(await stopped(taskId)).toMatchObject({ code: 'input_invalid', resume_state: 'operating' })
  await recover(taskId, 'correct_input', packetops.sandboxInput)
  await home(taskId)
})

verifies(
  'task.exception.run',
  'a result that is never right stops after its rounds and restarts',
  async () => {
    const taskId = await begun({ usage: 'operational' })
    for (const round of [0, 1, 2, 3]) await decide(taskId, 'revise', round)
    expect(await stopped(taskId)).toMatchObject({ code: 'validator_failed', money_moved: 'yes' })
    await recover(taskId, 'retry_step')
    await decide(taskId, 'approve', 0)
    await home(taskId)
  },
)

verifies(
  'task.exception.run',
  'a run whose workflow is ended by hand is taken up again',
  async () => {
    const taskId = await begun({ usage: 'operational' })
    const runId = runIdOf(taskId)
    await expect.poll(() => findOpenReview(fixture.db, runId)).toBeDefined()
    await fixture.client.workflow.getHandle(runId).terminate('by hand')
    const exception = await stopped(taskId)
    expect(exception).toMatchObject({ code: 'worker_failed', resume_state: 'operating' })
    expect(exception?.detail).toBe('the workflow of its run was ended')
    await recover(taskId, 'retry_step')
    await decide(taskId, 'approve', 0)
    await home(taskId)
  },
)

verifies(
  'task.terminated',
  'a task whose workflow was ended continues with the next sweep',
  async () => {
    const taskId = await begun({ usage: 'operational' })
    await expect.poll(() => findOpenReview(fixture.db, runIdOf(taskId))).toBeDefined()
    const resting = await fixture.tasks.taskIn('preflight_checked')
    await fixture.client.workflow.getHandle(taskId).terminate('by hand')
    await wakeOlderThan(fixture.client, fixture.db)
    // Nothing is missing before the decision.
    expect(await isRunning(fixture.client, taskId)).toBe(false)
    await reviewed(fixture.tasks.deps, runIdOf(taskId), 'approve')
    await wakeOlderThan(fixture.client, fixture.db)
    expect(await isRunning(fixture.client, resting.task_id)).toBe(false)
    await home(taskId)
  },
)

verifies(
  'task.exception.own-move',
  'a run that cannot start stops its task; a replay starts it',
  async () => {
    const other = await fixture.tasks.taskIn('trusted')
    const { task_id } = await fixture.tasks.taskIn('credit_funded', { callback_url: null })
    const taken = sql`insert into runs (run_id, task_id, step) values (${runIdOf(task_id)}, ${other.task_id}, 'intake')`
    await taken.execute(fixture.db)
    await transaction(fixture.db, (tx) => provideInput(tx, task_id, packetops.sandboxInput))
    await fixture.gateway.wake(task_id)
    const exception = await stopped(task_id)
    expect(exception).toMatchObject({ code: 'worker_failed', resume_state: 'credit_funded' })
    expect(exception?.detail).toContain('runs_pkey')
    await sql`delete from runs where run_id = ${runIdOf(task_id)}`.execute(fixture.db)
    await recover(task_id, 'retry_step')
    await home(task_id)
  },
)

verifies(
  'task.exception.own-move',
  'an event is kept although its consequence is refused',
  async () => {
    const other = await fixture.tasks.taskIn('trusted')
    const { task_id } = await fixture.tasks.taskIn('trusted', { callback_url: null })
    const { quote_id, entitlement_id, settlement_receipt_id } = await creditFor(
      fixture.tasks.deps,
      task_id,
    )
    await fixture.tasks.record(task_id, ['quote_issued', { quote_id }])
    await fixture.tasks.record(task_id, ['credit_requested', { entitlement_id }])
    await transaction(fixture.db, (tx) => provideInput(tx, task_id, packetops.sandboxInput))
    const taken = sql`insert into runs (run_id, task_id, step) values (${runIdOf(task_id)}, ${other.task_id}, 'intake')`
    await taken.execute(fixture.db)
    const paid = () => fixture.send(task_id, 'credit_funded', { settlement_receipt_id }, 'paid')
    expect(await paid()).toMatchObject({ state: 'exception_open', resume_state: 'credit_funded' })
    expect(await paid()).toMatchObject({ state: 'exception_open', resume_state: 'credit_funded' })
  },
)
