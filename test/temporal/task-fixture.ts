import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { pino } from 'pino'
import { DomainError } from '#domain/core/errors.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { createCallbackSteps } from '../../activities/callbacks/callback.ts'
import { readCallbackFacts } from '../../activities/callbacks/facts.ts'
import { createRunSteps } from '../../activities/runs/run.ts'
import { createChanges } from '../../activities/store/postgres/changes.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { findTask, type TaskRow } from '../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../activities/tasks/deps.ts'
import { createTaskSteps } from '../../activities/tasks/task.ts'
import { markOutages } from '../../temporal/outages.ts'
import { CALLBACKS_QUEUE, RUNS_QUEUE, STRANGERS_QUEUE, TASKS_QUEUE } from '../../temporal/queues.ts'
import { createTaskGateway } from '../../temporal/tasks.ts'
import type {
  LoopSteps,
  ModelSteps,
  RunDrafts,
  RunRecords,
} from '../../workflows/runs/activities.ts'
import type { StateLimits } from '../../workflows/shared/timing.ts'
import type { TaskSteps } from '../../workflows/tasks/activities.ts'
import { startTasks, stateLimits, trustedAgent } from '../activities/tasks/fixture.ts'
import { startReceiver } from '../support/callback-receiver.ts'
import { closeAll } from '../support/close-all.ts'
import { recordEvidenced } from '../support/evidenced.ts'
import type { TestDatabase } from '../support/postgres.ts'
import { poolsOver, startRailPool } from '../support/rail-pool.ts'
import { startTemporal } from '../support/temporal.ts'
import { bundleWorkflows as bundleWith } from '../support/workflow-bundle.ts'

export type Steps = TaskSteps & RunRecords & LoopSteps

/** Repeats a call that a busy machine answered 503, as a caller does: with the same event id. */
export async function patiently<Result>(call: () => Promise<Result>, left = 5): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (left === 0 || !(error instanceof DomainError) || error.refusal.code !== 'unavailable')
      throw error
    return patiently(call, left - 1)
  }
}

/** The workflows as they are, or with the times of another file of this folder. */
export function bundleWorkflows(timing?: string): Promise<WorkflowBundleWithSourceMap> {
  return bundleWith(timing === undefined ? undefined : join(import.meta.dirname, timing))
}

/** `timing`: another file of times; `limits`: how long a task may stay in a state; `server`: more arguments of the Temporal server; `database`: instead of a new one. */
type Options = {
  timing?: string
  limits?: StateLimits
  server?: readonly string[]
  database?: TestDatabase
}

/** Tasks with their workflows on a Temporal server of their own. */
export async function startTaskWorkflows(
  changes: Partial<TaskDeps> = {},
  { timing, limits = stateLimits, server, database }: Options = {},
) {
  const closers: (() => Promise<void>)[] = []
  const tasks = await startTasks(changes, database)
  closers.unshift(tasks.stop)
  const key = tasks.keys.callback.active
  const receiver = await startReceiver(key)
  closers.unshift(receiver.stop)
  const temporal = await startTemporal(server)
  closers.unshift(temporal.stop)
  const connection = await Connection.connect({ address: temporal.address })
  closers.unshift(() => connection.close())
  const client = new Client({ connection })
  const notified = createChanges(tasks.url)
  closers.unshift(notified.close)
  const config = { UPDATE_WAIT_MS: 40_000, DEPENDENCY_TIMEOUT_MS: 20_000 }
  const gateway = createTaskGateway({ client, db: tasks.db, changes: notified, config })
  const workflowBundle = await bundleWorkflows(timing)
  const pool = startRailPool()
  closers.unshift(pool.close)
  const real: Steps = {
    ...createTaskSteps(tasks.deps, limits),
    ...createRunSteps(tasks.deps, poolsOver(pool)),
  }

  const { demoReceiver } = tasks.deps.callbackHosts
  const log = pino({ level: 'silent' })
  const posts = { agent: 10_000, untrusted: 10_000, trusted: 10_000 }
  const { keys, db } = tasks
  const callbacks = {
    db,
    log,
    send: receiver.send,
    keys,
    facts: readCallbackFacts,
    demoReceiver,
    posts,
  }

  const serving = new Set<() => Promise<void>>()
  /** Ends what still serves, such as the workers of a test that failed. */
  const endServing = async (): Promise<void> => {
    await Promise.all([...serving].map((end) => end()))
  }
  closers.unshift(endServing)

  /** Workers of the three queues until the result is called, `endServing` is, or the rig stops. */
  async function serve(
    changed: Partial<Steps & RunDrafts & ModelSteps> = {},
  ): Promise<() => Promise<void>> {
    const activities = { ...real, ...changed, ...createCallbackSteps(callbacks) }
    const workers = await Promise.all(
      [TASKS_QUEUE, RUNS_QUEUE, STRANGERS_QUEUE, CALLBACKS_QUEUE].map(async (taskQueue) => {
        const native = await NativeConnection.connect({ address: temporal.address })
        const source = taskQueue === TASKS_QUEUE ? { workflowBundle } : {}
        const options = {
          connection: native,
          taskQueue,
          activities,
          interceptors: { activity: [markOutages] },
          shutdownForceTime: '20s' as const,
        }
        const worker = await Worker.create({ ...options, ...source })
        return { worker, native, running: worker.run() }
      }),
    )
    const end = async () => {
      if (!serving.delete(end)) return
      for (const { worker } of workers) worker.shutdown()
      await closeAll([
        ...workers.map(
          ({ running }) =>
            () =>
              running,
        ),
        ...workers.map(
          ({ native }) =>
            () =>
              native.close(),
        ),
      ])
    }
    serving.add(end)
    return end
  }

  const rowOf = async (taskId: string): Promise<TaskRow> =>
    (await findTask(tasks.db, taskId)) as TaskRow

  /** Stores an event as the API does, and has the workflow make the transitions that follow. */
  const send = <Event extends TaskEvent>(
    taskId: string,
    event: Event,
    data: TaskEventData[Event],
    eventId = randomBytes(8).toString('hex'),
  ) =>
    patiently(async () => {
      const actor = `agent:${trustedAgent}`
      await transaction(tasks.db, (tx) =>
        recordEvidenced(tasks.deps, tx, { taskId, eventId, event, actor, data, limits }),
      )
      await gateway.advance(taskId)
      return rowOf(taskId)
    })

  /** Whether every history of these workflows replays on the code of now. */
  async function replay(...workflowIds: string[]): Promise<void> {
    for (const workflowId of workflowIds) {
      const history = await client.workflow.getHandle(workflowId).fetchHistory()
      await Worker.runReplayHistory({ workflowBundle }, history, workflowId)
    }
  }

  return {
    receiver,
    tasks,
    db: tasks.db,
    client,
    gateway,
    real,
    serve,
    endServing,
    send,
    replay,
    rowOf,
    address: temporal.address,
    binary: temporal.binary,
    temporal: temporal.part,
    stop: () => closeAll(closers),
  }
}
