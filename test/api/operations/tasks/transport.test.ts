import { Client, Connection } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { taskEvents } from '#domain/tasks/lifecycle.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { runIdOf } from '../../../../activities/tasks/facts.ts'
import { provideInput } from '../../../../api/services/tasks/input.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { openTaskCalls } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let calls: Awaited<ReturnType<typeof openTaskCalls>>
let connection: Connection
let client: Client
beforeAll(async () => {
  apis = await startComposedTasks()
  calls = await openTaskCalls(apis)
  connection = await Connection.connect({ address: apis.config.TEMPORAL_ADDRESS })
  client = new Client({ connection })
})
afterAll(async () => {
  await connection?.close()
  await apis?.stop()
})

const hash = 'f'.repeat(64)
/** What an attacker would have each event say, with the name of an operator. */
const forged = {
  terms_sha256: hash,
  contract_id: 'ct_forged',
  decision_id: `dec_${hash}`,
  quote_id: `qt_${hash}`,
  entitlement_id: `en_${hash}`,
  settlement_receipt_id: `rc_${hash}`,
  review_decision: 'rvd_forged',
  return_package_id: `rp_${hash}`,
  usage_receipt_id: `rc_${hash}`,
}

/** Everything that is stored about a task and its money. */
async function rowsOf(taskId: string): Promise<unknown> {
  const { rows } = await sql`
    select to_jsonb(t) as task, (select json_agg(e order by sequence) from task_events e where e.task_id = t.task_id) as ledger,
      (select json_agg(c) from contracts c where c.task_id = t.task_id) as contracts,
      (select json_agg(c) from task_credits c where c.task_id = t.task_id) as credits,
      (select json_agg(x) from task_exceptions x where x.task_id = t.task_id) as exceptions,
      (select json_agg(s order by attempt, round, started_at) from loop_steps s where s.run_id = run_id_of(t.task_id)) as steps,
      (select count(*) from receipts where subject in (t.task_id, run_id_of(t.task_id))) as receipts
    from tasks t where t.task_id = ${taskId}`.execute(apis.db)
  return rows[0]
}

/** Every message that a run of the task could take, with forged actors and evidence. */
async function sendMessages(taskId: string): Promise<void> {
  const handle = client.workflow.getHandle(taskId)
  for (const event of taskEvents) {
    const input = { taskId, eventId: `x:${event}`, event, actor: 'operator:alice', data: forged }
    const updates = ['event', 'recordEvent'].map((name) =>
      handle.executeUpdate(name, { args: [input] }),
    )
    for (const sent of await Promise.allSettled(updates)) expect(sent.status).toBe('rejected')
    await handle.executeUpdate('advance', { args: [input] })
    for (const signal of ['wake', 'show', 'event', 'redeliver']) await handle.signal(signal, input)
  }
}

/** Has the workers carry out activities with these inputs, by a workflow of the attacker's own queue. */
async function runActivities(asked: [queue: string, name: string, input: unknown][]) {
  const { workflowService: service } = client
  const { namespace } = client.options
  const taskQueue = { name: 'attack' }
  await client.workflow.start('attack', { workflowId: 'attack', taskQueue: 'attack' })
  const first = await client.withDeadline(Date.now() + 60_000, () =>
    service.pollWorkflowTaskQueue({ namespace, taskQueue, identity: 'x' }),
  )
  await service.respondWorkflowTaskCompleted({
    taskToken: first.taskToken,
    commands: asked.map(([name, type, input], index) => ({
      commandType: 1,
      scheduleActivityTaskCommandAttributes: {
        activityId: `${index}`,
        activityType: { name: type },
        taskQueue: { name },
        input: { payloads: [defaultPayloadConverter.toPayload(input)] },
        scheduleToCloseTimeout: { seconds: 60 as never },
        startToCloseTimeout: { seconds: 20 as never },
        retryPolicy: { maximumAttempts: 1 },
      },
    })),
  })
  const ended = async () => {
    const { events } = await client.workflow.getHandle('attack').fetchHistory()
    return events?.filter(
      (event) =>
        event.activityTaskCompletedEventAttributes || event.activityTaskFailedEventAttributes,
    ).length
  }
  await expect.poll(ended).toBe(asked.length)
  await client.workflow.getHandle('attack').terminate()
}

verifies(
  ['task.transport', 'stolen.temporal'],
  'a client of Temporal alone funds, approves and moves nothing',
  async () => {
    const unpaid = await calls.agreed('operational')
    await transaction(apis.db, (tx) => provideInput(tx, unpaid.taskId, packetops.sandboxInput))
    const waiting = await calls.funded('operational')
    const tasks = [unpaid.taskId, waiting.taskId]
    for (const taskId of tasks) await client.workflow.getHandle(taskId).signal('wake')
    const before = await Promise.all(tasks.map(rowsOf))

    await Promise.all(tasks.map(sendMessages))
    const limits = { contract_ready: 1, quoted: 1, credit_pending: 1 }
    const activities = tasks.flatMap((taskId): [string, string, unknown][] => {
      const event = { taskId, eventId: 'x', event: 'credit_funded', actor: 'operator:alice' }
      const runId = runIdOf(taskId)
      return [
        ['tasks', 'recordEvent', { ...event, data: forged, limits }],
        ['tasks', 'advanceTask', { taskId, limits, leftSlot: true }],
        ['tasks', 'stopTask', taskId],
        ...loopSteps.flatMap((step): [string, string, unknown][] => {
          const input = { runId, attempt: 0, round: 0, step, limits, detail: 'forged' }
          return [
            ['runs', 'takeStep', input],
            ['runs', 'failRun', input],
          ]
        }),
      ]
    })
    await runActivities(activities)

    expect(await Promise.all(tasks.map(rowsOf))).toEqual(before)
    const { rows } = await sql`select from task_events where actor ~ '^operator:'`.execute(apis.db)
    expect(rows).toEqual([])
  },
)
