import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { type PacketInput, packetops } from '#domain/rails/packetops/index.ts'
import { verifyLedger } from '#domain/tasks/ledger.ts'
import { resumableStates, type TaskState } from '#domain/tasks/lifecycle.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { listReceipts } from '../../activities/store/receipts/receipts.ts'
import { findReturnPackage, listLoopSteps } from '../../activities/store/runs/runs.ts'
import { listTaskExceptions } from '../../activities/store/tasks/task-exceptions.ts'
import { listLedger, storeDocument } from '../../activities/store/tasks/tasks.ts'
import { provideInput } from '../../api/services/tasks/input.ts'
import { viewQuery as viewRun } from '../../workflows/runs/messages.ts'
import { searchAttributes } from '../../workflows/shared/search-attributes.ts'
import { viewQuery } from '../../workflows/tasks/messages.ts'
import { quietRuntime } from '../support/quiet.ts'
import { approved, creditFor, dropCredit, reviewed } from '../support/task-evidence.ts'
import { verifies } from '../verifies.ts'
import { patiently, type Steps, startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  fixture = await startTaskWorkflows({ runsAtOnce: { agent: 2, rail: 100 } })
})
afterEach(() => fixture?.endServing())
afterAll(() => fixture?.stop())

const hash = 'a'.repeat(64)
const reaches = (taskId: string, state: TaskState, timeout = 40_000) =>
  expect
    .poll(async () => (await fixture.rowOf(taskId)).state, { timeout, interval: 100 })
    .toBe(state)
const eventsOf = async (taskId: string) =>
  (await listLedger(fixture.db, taskId)).map(({ event }) => event)
const intact = async (taskId: string) => {
  const { head_hash } = await fixture.rowOf(taskId)
  expect(verifyLedger(taskId, await listLedger(fixture.db, taskId))).toEqual({
    ok: true,
    head_hash,
  })
}
/** The state of a run in the list of workflows. */
const shownState = async (runId: string) =>
  (await fixture.client.workflow.getHandle(runId).describe()).typedSearchAttributes.get(
    searchAttributes.State,
  )
const input = (taskId: string, body: unknown = packetops.sandboxInput) =>
  transaction(fixture.db, (tx) => provideInput(tx, taskId, body))

/** Leads a new task up to the credit; everything before is the real order of an agent's calls. */
async function funded(changed: Partial<TaskTerms> = {}): Promise<string> {
  const { taskId, submit } = await fixture.tasks.draft({ callback_url: null, ...changed })
  await fixture.send(taskId, ...submit)
  const terms_sha256 = await storeDocument(fixture.db, taskId, {
    scope: ['packet'],
    task_id: taskId,
  })
  await fixture.send(taskId, 'contract_prepared', {
    contract_id: `ct_${taskId.slice(5)}`,
    terms_sha256,
  })
  await fixture.send(taskId, 'contract_accepted', { terms_sha256 })
  await creditFor(fixture.tasks.deps, taskId)
  await patiently(() => fixture.gateway.advance(taskId))
  await dropCredit(fixture.db, taskId)
  return taskId
}
const finish = async (taskId: string) => {
  await fixture.send(taskId, 'receipts_issued', { usage_receipt_id: `rc_${hash}` })
  await fixture.client.workflow.getHandle(taskId).result()
}
/** The sandbox's packet lacks sections and the content of a document. This one requires only the sections that it has whole. */
function whole(): unknown {
  const { items, as_of, title } = packetops.sandboxInput as PacketInput
  const read = items.filter(({ content }) => content !== undefined)
  const required_sections = [...new Set(read.map(({ section }) => section))]
  return { title, as_of, required_sections, items: read }
}

verifies(
  ['task.workflow', 'task.ledger.chain', 'run.loop.order'],
  'a task runs from submission to the attestation of its ledger',
  async () => {
    const stop = await fixture.serve()
    const taskId = await funded({ callback_url: fixture.receiver.url })
    expect(await fixture.client.workflow.getHandle(taskId).query(viewQuery)).toMatchObject({
      state: 'credit_funded',
      hasInput: false,
    })
    const input_sha256 = await input(taskId)
    await fixture.gateway.wake(taskId)
    await reaches(taskId, 'attested')
    await fixture.send(taskId, 'receipts_issued', { usage_receipt_id: `rc_${hash}` })
    await fixture.client.workflow.getHandle(taskId).result()
    await stop()

    const task = await fixture.rowOf(taskId)
    expect(task.state).toBe('closed')
    await intact(taskId)
    expect((await eventsOf(taskId)).join(' ')).toBe(
      'submit preflight_passed contract_prepared contract_accepted trust_requested trust_granted quote_issued credit_requested credit_funded enqueued started result_produced result_attested receipts_issued callback_scheduled callback_delivered closed',
    )
    const runId = String(task.run_id)
    const steps = await listLoopSteps(fixture.db, runId)
    expect(steps.map(({ step }) => step).join(', ')).toBe(
      'intake, planner, worker, validator, exception_agent, revision_loop, review_step, return_package, attestation',
    )
    expect(steps.find(({ step }) => step === 'review_step')?.decided_by).toBe('sandbox_policy')
    const made = await findReturnPackage(fixture.db, runId)
    const again = digestOf(packetops.work(packetops.sandboxInput as never).result)
    expect(made).toMatchObject({ partial: false, result_sha256: again })
    const [attestation] = await listReceipts(fixture.db, runId)
    const claims = JSON.parse(
      Buffer.from(String(attestation?.jws.split('.')[1]), 'base64url').toString(),
    )
    expect(claims).toMatchObject({
      kind: 'attestation',
      proof_hash: made?.proof_hash,
      result_sha256: again,
      input_sha256,
    })
    await fixture.replay(taskId, runId)
  },
)

verifies(
  ['run.review', 'run.loop.rounds'],
  'an operational run waits for review: revise, then approve',
  async () => {
    const stop = await fixture.serve()
    const taskId = await funded({ usage: 'operational' })
    await input(taskId)
    await approved(fixture.tasks.deps, taskId)
    await fixture.gateway.wake(taskId)
    const runId = await expect
      .poll(async () => (await fixture.rowOf(taskId)).run_id)
      .not.toBeNull()
      .then(async () => String((await fixture.rowOf(taskId)).run_id))
    const waits = (round: number) =>
      expect
        .poll(async () =>
          (await listLoopSteps(fixture.db, runId)).filter(({ verdict }) => verdict === null),
        )
        .toMatchObject([{ step: 'review_step', round }])
    const decide = async (decision: 'approve' | 'revise') => {
      await reviewed(fixture.tasks.deps, runId, decision)
      await fixture.gateway.wake(taskId)
    }
    await waits(0)
    await expect
      .poll(() => fixture.client.workflow.getHandle(runId).query(viewRun))
      .toMatchObject({ next: 'review' })
    await expect.poll(() => shownState(runId)).toBe('review_step')
    await decide('revise')
    await waits(1)
    await decide('approve')
    await reaches(taskId, 'attested')
    await finish(taskId)
    await stop()
    const rounds = (await listLoopSteps(fixture.db, runId))
      .filter(({ step }) => step === 'worker')
      .map(({ round }) => round)
    expect(rounds).toEqual([0, 1])
    expect(await shownState(runId)).toBe('over')
    await intact(taskId)
    await fixture.replay(taskId, runId)
  },
)

verifies(
  'task.evidence',
  'gaps stop a run on request; evidence or a waiver continues it',
  async () => {
    const stop = await fixture.serve()
    const [supplied, waived] = [await funded({ on_gaps: 'ask' }), await funded({ on_gaps: 'ask' })]
    for (const taskId of [supplied, waived]) {
      await input(taskId)
      await fixture.gateway.wake(taskId)
      await reaches(taskId, 'evidence_partial')
    }
    const input_sha256 = await storeDocument(fixture.db, supplied, whole())
    await fixture.send(supplied, 'evidence_supplied', { input_sha256 })
    await fixture.send(waived, 'evidence_waived', {})
    for (const taskId of [supplied, waived]) {
      await reaches(taskId, 'attested')
      await intact(taskId)
    }
    const packageOf = async (taskId: string) =>
      findReturnPackage(fixture.db, String((await fixture.rowOf(taskId)).run_id))
    expect(await packageOf(supplied)).toMatchObject({ partial: false })
    expect(await packageOf(waived)).toMatchObject({ partial: true })
    await finish(waived)
    await stop()
    await fixture.replay(supplied, waived)
  },
)

verifies(
  'task.lapse',
  'quote, credit and contract lapse without calls; a replay continues',
  async () => {
    const stop = await fixture.serve()
    const soon = () => new Date(Date.now() + 1_500).toISOString()
    const [contract, quote, credit] = [
      await fixture.tasks.taskIn('preflight_checked'),
      await fixture.tasks.taskIn('trusted'),
      await fixture.tasks.taskIn('quoted'),
    ].map(({ task_id }) => task_id) as [string, string, string]
    const terms_sha256 = await storeDocument(fixture.db, contract, { terms: 'short' })
    const contract_id = `ct_${contract.slice(5)}short`
    await fixture.send(contract, 'contract_prepared', {
      contract_id,
      terms_sha256,
      expires_at: soon(),
    })
    await fixture.send(quote, 'quote_issued', { quote_id: 'qt_1', expires_at: soon() })
    await fixture.send(credit, 'credit_requested', { entitlement_id: 'en_1', expires_at: soon() })
    await reaches(contract, 'closed')
    await reaches(quote, 'exception_open')
    await reaches(credit, 'exception_open')
    expect((await eventsOf(contract)).slice(-2)).toEqual(['contract_lapsed', 'closed'])
    await fixture.send(quote, 'replay_prepared', { action: 'replay' })
    expect(await fixture.send(quote, 'replayed', {})).toMatchObject({ state: 'trusted' })
    await fixture.send(credit, 'replay_prepared', { action: 'replay' })
    expect(await fixture.send(credit, 'replayed', {})).toMatchObject({ state: 'quoted' })
    await stop()
    await fixture.replay(contract, quote, credit)
  },
)

verifies(
  ['task.exception.resume', 'task.picked-up'],
  'a task in any state is taken over by a new workflow',
  async () => {
    const stop = await fixture.serve()
    for (const state of resumableStates) {
      const { task_id } = await fixture.tasks.taskIn(state, { agent_id: `agt_${state}` })
      await fixture.send(task_id, 'exception_raised', { code: 'operator_hold', detail: 'held' })
      await fixture.send(task_id, 'replay_prepared', { action: 'replay' })
      await fixture.send(task_id, 'replayed', {}, 'replay-1')
      await fixture.send(task_id, 'replayed', {}, 'replay-1')
      const ledger = await listLedger(fixture.db, task_id)
      const replayed = ledger.filter(({ event }) => event === 'replayed')
      expect(
        replayed.map(({ to_state }) => to_state),
        state,
      ).toEqual([state])
      await intact(task_id)
      const exception = (await listTaskExceptions(fixture.db, task_id)).at(-1)
      expect(exception).toMatchObject({ state: 'resolved', resume_state: state })
    }
    await stop()
  },
)

verifies(
  'task.exception.activity',
  'a failed step opens an exception; a replay resumes the run there',
  async () => {
    let broken = true
    const takeStep: Steps['takeStep'] = (step) => {
      if (broken && step.step === 'validator')
        throw ApplicationFailure.nonRetryable('the machine is on fire')
      return fixture.real.takeStep(step)
    }
    const stop = await fixture.serve({ takeStep })
    const taskId = await funded()
    await input(taskId)
    await fixture.gateway.wake(taskId)
    await reaches(taskId, 'exception_open')
    const [exception] = await listTaskExceptions(fixture.db, taskId)
    expect(exception).toMatchObject({
      code: 'worker_failed',
      resume_state: 'operating',
      money_moved: 'no',
    })
    expect(exception?.detail).toBe('validator: it stored nothing in any of its attempts')
    broken = false
    await fixture.send(taskId, 'replay_prepared', { action: 'retry_step' })
    await fixture.send(taskId, 'replayed', {})
    await reaches(taskId, 'attested')
    const steps = await listLoopSteps(fixture.db, String((await fixture.rowOf(taskId)).run_id))
    expect(steps.map(({ attempt }) => attempt)).toEqual(Array(9).fill(0))
    await finish(taskId)
    await stop()
    await fixture.replay(taskId, String((await fixture.rowOf(taskId)).run_id))
  },
)

verifies(
  'task.kill-worker',
  'with every step answer lost once, no transition happens twice',
  async () => {
    let lost = 0
    /** Commits, and then the worker is gone before it can say so, each time before a repeat. */
    const losing = <Input, Result>(step: (input: Input) => Promise<Result>) => {
      const repeated = new Set<string>()
      return async (given: Input): Promise<Result> => {
        const result = await step(given)
        const key = JSON.stringify(given)
        if (repeated.delete(key)) return result
        repeated.add(key)
        lost += 1
        throw new Error('lost')
      }
    }
    const steps: Partial<Steps> = {
      advanceTask: losing(fixture.real.advanceTask),
      takeStep: losing(fixture.real.takeStep),
    }
    let stop = await fixture.serve(steps)
    const restart = async () => {
      await stop()
      stop = await fixture.serve(steps)
    }
    const taskId = await funded()
    await restart()
    await input(taskId)
    const running = fixture.gateway.wake(taskId)
    await running
    await sleep(300)
    await restart()
    await reaches(taskId, 'attested')
    await restart()
    await finish(taskId)
    await stop()
    expect(lost).toBeGreaterThan(15)
    const events = await eventsOf(taskId)
    expect(events).toHaveLength(new Set(events).size)
    await intact(taskId)
    await fixture.replay(taskId, String((await fixture.rowOf(taskId)).run_id))
  },
)

verifies(
  'durable.slow-steps',
  'parallel events with different ends leave a replayable history',
  async () => {
    const { task_id } = await fixture.tasks.taskIn('trusted')
    const quotes = Promise.allSettled(
      ['qt_1', 'qt_2', 'qt_3'].map((quote_id) =>
        fixture.send(task_id, 'quote_issued', { quote_id }),
      ),
    )
    // All wait for the first worker.
    await sleep(500)
    const stop = await fixture.serve()
    const ended = await quotes
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await fixture.replay(task_id)
    await stop()
  },
)

verifies('task.slots', 'a third task of an agent waits for a slot and then starts', async () => {
  const gate = new Set<string>()
  const takeStep: Steps['takeStep'] = async (step) => {
    while (step.step === 'worker' && !gate.has('open')) await sleep(50)
    return fixture.real.takeStep(step)
  }
  const stop = await fixture.serve({ takeStep })
  const ids = [await funded(), await funded(), await funded()]
  for (const taskId of ids) {
    await input(taskId)
    await fixture.gateway.wake(taskId)
    await expect.poll(async () => (await fixture.rowOf(taskId)).state).toMatch(/queued|operating/)
  }
  expect((await Promise.all(ids.map(fixture.rowOf))).map(({ state }) => state)).toEqual([
    'operating',
    'operating',
    'queued',
  ])
  gate.add('open')
  for (const taskId of ids) await reaches(taskId, 'attested', 25_000)
  await stop()
  await fixture.replay(...ids)
})
