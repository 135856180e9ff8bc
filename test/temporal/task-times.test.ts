import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { listLoopSteps } from '../../activities/store/runs/runs.ts'
import { listLedger, lockTask, storeDocument } from '../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import { quietRuntime } from '../support/quiet.ts'
import { within as scaled } from '../support/slowness.ts'
import { reviewed } from '../support/task-evidence.ts'
import { verifies } from '../verifies.ts'
import { timing } from './short-timing.ts'
import { checkTasks, readTaskFacts } from './task-checker.ts'
import { patiently, type Steps, startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
/** Events after which the server suggests that a run is renewed; more than the updates of a run leave. */
const LONG_HISTORY = 500
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
const taken: string[] = []
let beforePlanner: () => Promise<void> = () => Promise.resolve()
beforeAll(async () => {
  const server = [
    '--dynamic-config-value',
    `limit.historyCount.suggestContinueAsNew=${LONG_HISTORY}`,
  ]
  fixture = await startTaskWorkflows(
    { runsAtOnce: { agent: 1, rail: 100 } },
    { timing: 'short-timing.ts', limits: timing.task.limits, server },
  )
  const takeStep: Steps['takeStep'] = async (input) => {
    taken.push(`${input.runId} ${input.step}`)
    if (input.step === 'planner') await beforePlanner()
    return fixture.real.takeStep(input)
  }
  await fixture.serve({ takeStep })
})
afterAll(() => fixture?.stop())

const reaches = (taskId: string, state: TaskState) =>
  expect.poll(async () => (await fixture.rowOf(taskId)).state, { interval: 50 }).toBe(state)
/** What the checker finds, but for the credit that the fixture released, so that its tasks rest before their charge. */
const check = async () => {
  const found = await checkTasks(await readTaskFacts(fixture.tasks.url, fixture.address), [])
  return found.filter((line) => !/credit|are left although/.test(line))
}
const runsOf = async (workflowId: string) => {
  const seen: string[] = []
  for await (const run of fixture.client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
    seen.push(run.status.name)
  return seen.sort()
}
/** A task whose run waits for an operator's decision. */
async function atReview(agent_id: string): Promise<{ taskId: string; runId: string }> {
  const { task_id: taskId } = await fixture.tasks.taskIn('operating', {
    usage: 'operational',
    callback_url: null,
    agent_id,
  })
  const runId = runIdOf(taskId)
  await patiently(() => fixture.gateway.wake(taskId))
  const open = async () =>
    (await listLoopSteps(fixture.db, runId)).some(({ verdict }) => verdict === null)
  await expect.poll(open).toBe(true)
  return { taskId, runId }
}
/** More updates than one run takes, from callers who never pause. */
async function manyUpdates(taskId: string): Promise<void> {
  const caller = async () => {
    for (let left = timing.updatesPerRun; left > 0; left -= 1)
      await patiently(() => fixture.gateway.advance(taskId))
  }
  await Promise.all([caller(), caller(), caller()])
}
const approve = (runId: string) => reviewed(fixture.tasks.deps, runId, 'approve')

verifies(
  'task.lapse',
  'each timed state lapses at its own limit, and no other state does',
  async () => {
    const contract = (await fixture.tasks.taskIn('preflight_checked')).task_id
    const quote = (await fixture.tasks.taskIn('trusted')).task_id
    const credit = (await fixture.tasks.taskIn('quoted')).task_id
    const untimed = (
      await fixture.tasks.taskIn('trust_pending', { agent_id: `agt_${'f'.repeat(64)}` })
    ).task_id
    const terms_sha256 = await storeDocument(fixture.db, contract, { terms: 'short' })
    await fixture.send(contract, 'contract_prepared', {
      contract_id: `ct_${contract.slice(5)}`,
      terms_sha256,
    })
    await fixture.send(quote, 'quote_issued', { quote_id: 'qt_1' })
    await fixture.send(credit, 'credit_requested', { entitlement_id: 'en_1' })
    await patiently(() => fixture.gateway.wake(untimed))
    await reaches(contract, 'closed')
    for (const taskId of [quote, credit]) await reaches(taskId, 'exception_open')

    const stayed = async (taskId: string, lapse: string) => {
      const ledger = await listLedger(fixture.db, taskId)
      const at = ledger.findIndex(({ event }) => event === lapse)
      return Date.parse(String(ledger[at]?.at)) - Date.parse(String(ledger[at - 1]?.at))
    }
    const { limits } = timing.task
    const within = async (taskId: string, lapse: string, limit: number) => {
      const ms = await stayed(taskId, lapse)
      expect(ms, lapse).toBeGreaterThanOrEqual(limit)
      expect(ms, lapse).toBeLessThan(scaled(limit + 5_000))
    }
    await within(contract, 'contract_lapsed', limits.contract_ready)
    await within(quote, 'quote_lapsed', limits.quoted)
    await within(credit, 'credit_lapsed', limits.credit_pending)
    expect((await fixture.rowOf(untimed)).state).toBe('trust_pending')
    await fixture.replay(contract, quote, credit)
  },
)

verifies(
  'task.picked-up',
  'an idle task closes its workflow; the next event starts a new one',
  async () => {
    const { task_id } = await fixture.tasks.taskIn('trusted')
    await patiently(() => fixture.gateway.wake(task_id))
    await fixture.client.workflow.getHandle(task_id).result()
    expect((await fixture.rowOf(task_id)).state).toBe('trusted')
    expect(await fixture.send(task_id, 'quote_issued', { quote_id: 'qt_1' })).toMatchObject({
      state: 'quoted',
    })
  },
)

verifies(
  ['task.slots', 'run.review'],
  'an unreported free slot or decision is found by polling',
  async () => {
    const agent_id = `agt_${'e'.repeat(64)}`
    const { runId, taskId } = await atReview(agent_id)
    const queued = (await fixture.tasks.taskIn('queued', { agent_id, callback_url: null })).task_id
    await patiently(() => fixture.gateway.wake(queued))
    await sleep(2 * timing.task.queued)
    expect((await fixture.rowOf(queued)).state).toBe('queued')
    await approve(runId)
    await reaches(taskId, 'attested')
    await reaches(queued, 'attested')
  },
)

verifies(
  ['task.renewed', 'task.workflow'],
  'a task with many updates renews itself, also during a review',
  async () => {
    const { taskId, runId } = await atReview(`agt_${'d'.repeat(64)}`)
    await manyUpdates(taskId)
    await approve(runId)
    await patiently(() => fixture.gateway.wake(taskId))
    await reaches(taskId, 'attested')
    await fixture.send(taskId, 'receipts_issued', { usage_receipt_id: `rc_${'b'.repeat(64)}` })
    await fixture.client.workflow.getHandle(taskId).result()
    await expect.poll(() => runsOf(taskId)).toContain('CONTINUED_AS_NEW')
    const steps = await listLoopSteps(fixture.db, runId)
    expect(steps.map(({ round, attempt }) => `${attempt}${round}`)).toEqual(Array(9).fill('00'))
    expect(await check()).toEqual([])
  },
)

verifies(
  'task.renewed',
  'a waiting task renews itself after many refusals or a long history',
  async () => {
    const [refusing, woken] = [
      await fixture.tasks.taskIn('trusted'),
      await fixture.tasks.taskIn('trusted'),
    ]
    await manyUpdates(refusing.task_id)
    for (let left = LONG_HISTORY; left > 0; left -= 1)
      await patiently(() => fixture.gateway.wake(woken.task_id))
    for (const { task_id } of [refusing, woken]) {
      await expect.poll(() => runsOf(task_id)).toContain('CONTINUED_AS_NEW')
      expect(await fixture.send(task_id, 'quote_issued', { quote_id: 'qt_1' })).toMatchObject({
        state: 'quoted',
      })
    }
    expect(await check()).toEqual([])
  },
)

verifies(
  'run.heartbeat',
  'a step that outlives its worker’s timeout is executed once',
  async () => {
    const { task_id } = await fixture.tasks.taskIn('operating', {
      callback_url: null,
      agent_id: `agt_${'c'.repeat(64)}`,
    })
    // The step has to wait for the row, which another transaction holds.
    beforePlanner = () =>
      new Promise((held) => {
        void transaction(fixture.db, async (tx) => {
          await lockTask(tx, task_id)
          held()
          await sleep(2 * timing.run.heartbeat)
        })
      })
    await patiently(() => fixture.gateway.wake(task_id))
    await reaches(task_id, 'attested')
    const runId = runIdOf(task_id)
    expect(taken.filter((each) => each.startsWith(runId))).toEqual(
      loopSteps.map((step) => `${runId} ${step}`),
    )
  },
)
