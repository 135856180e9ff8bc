import { join } from 'node:path'
import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import { createOperator } from '../../activities/store/operators/operators.ts'
import { findOpenReview } from '../../activities/store/runs/runs.ts'
import { runIdOf } from '../../activities/tasks/facts.ts'
import type { Client } from '../../api/http/client.ts'
import { provideInput } from '../../api/services/tasks/input.ts'
import { urlOf } from '../../worker/stack/environment.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { apiPart } from '../../worker/stack/programs.ts'
import { buyingAgent } from '../support/buying-task.ts'
import { insist } from '../support/faults.ts'
import { trustedAgent } from '../support/registering-agent.ts'
import { unhurried } from '../support/settings.ts'
import { advances, type Trial } from './table-trials.ts'
import type { startTaskWorkflows } from './task-fixture.ts'

type Fixture = Pick<Awaited<ReturnType<typeof startTaskWorkflows>>, 'db'>

/** A call is repeated as its answers say, and after a broken connection. */
const repeating = (client: Client): Client => ({
  call: (...asked) => insist(() => client.call(...asked), 90_000) as never,
})

/** An API on the database and the Temporal server of `environment`, and what an agent and an operator move tasks by over HTTP. */
export async function startCalls(
  { db }: Fixture,
  environment: NodeJS.ProcessEnv,
  directory: string,
) {
  const [base = 0, os = 0] = await findFree(2)
  const hosts = { base: urlOf(base), os: urlOf(os) }
  const places = {
    BASE_URL: hosts.base,
    OS_URL: hosts.os,
    BASE_PORT: String(base),
    OS_PORT: String(os),
  }
  const waits = { CALL_LEASE_MS: '1000', UPDATE_WAIT_MS: '40000', DEPENDENCY_TIMEOUT_MS: '20000' }
  const env = { ...environment, ...places, ...waits, ...unhurried, LIMIT_AGENT_PER_MINUTE: '6000' }
  const api = apiPart({ name: 'api', logFile: join(directory, 'api.log'), env }, hosts.base)
  await api.start()
  const prepare = async () => {
    await api.waitReady()
    const { credential } = await createOperator(db, 'Ada')
    return trialsOf(
      db,
      buyingAgent(hosts, await trustedAgent(hosts, credential), credential, db, repeating),
    )
  }
  return { api, prepare }
}

/** A move of the table for each call that makes one, each of a task that is paid for as far as it has come. */
async function trialsOf(
  db: Fixture['db'],
  buyer: ReturnType<typeof buyingAgent>,
): Promise<Trial[]> {
  const { preflighted, contracted, challenged, quoted, present, review } = buyer
  /** A task whose payment an operator is to confirm. */
  const presented = async () => {
    const { challenge, ...task } = await challenged()
    const invoice = {
      method: 'invoice_reference',
      external_reference: `INV-${task.taskId.slice(5, 21)}`,
    } as const
    const { payment_reference_id } = await present({
      challenge_id: challenge.challenge_id,
      ...invoice,
    })
    return { ...task, pay: () => review('payment_reference', payment_reference_id) }
  }
  const funded = async () => {
    const { taskId, task_token, pay } = await presented()
    await pay()
    await buyer.reaches(task_token, 'credit_funded')
    await provideInput(db, taskId, tokenops.sandboxInput)
    return taskId
  }
  const worked = async () => {
    const taskId = await funded()
    await review('task', taskId)
    await expect.poll(() => findOpenReview(db, runIdOf(taskId))).toBeDefined()
    return taskId
  }
  // The owner of the id in the answer comes first.
  const submitted = {
    name: 'preflight',
    taskId: '',
    key: advances('*'),
    rests: 'preflight_checked',
  } as const
  const first: Trial = {
    ...submitted,
    begin: async () => {
      first.taskId = (await preflighted()).taskId
    },
  }
  const [begun, offered, { quote_id }, asked] = await Promise.all([
    preflighted(),
    contracted(),
    quoted(),
    presented(),
  ])
  const [ready, unwanted, done] = await Promise.all([funded(), funded(), worked()])
  const of = (
    name: string,
    taskId: string,
    key: string,
    rests: TaskState,
    begin: Trial['begin'],
  ): Trial => {
    return { name, taskId, key, rests, begin }
  }
  return [
    first,
    of('contract-prepare', begun.taskId, advances(begun.taskId), 'contract_ready', () =>
      contracted(begun),
    ),
    of('contract-accept', offered.taskId, advances(offered.taskId), 'credit_pending', () =>
      offered.accept(quote_id),
    ),
    of('a payment is confirmed', asked.taskId, advances(asked.taskId), 'credit_funded', asked.pay),
    of('work is approved', ready, advances(ready), 'operating', () => review('task', ready)),
    of('work is refused', unwanted, advances(unwanted), 'closed', () =>
      review('task', unwanted, 'reject'),
    ),
    of('a result is approved', done, `${runIdOf(done)} return_package`, 'closed', () =>
      review('loop_step', runIdOf(done)),
    ),
  ]
}
