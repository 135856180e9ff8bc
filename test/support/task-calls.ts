import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { RunUsage } from '#domain/core/usage.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { TaskEvent } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData } from '#domain/tasks/terms.ts'
import { taskDepsOf } from '../../activities/container.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { requireTask } from '../../activities/store/tasks/tasks.ts'
import { writeTaskReceipt } from '../../activities/tasks/receipt.ts'
import type { TaskEventInput } from '../../activities/tasks/task-event.ts'
import { createClient, type InputOf, ProblemError } from '../../api/http/client.ts'
import { manifestOf, provideInput } from '../../api/services/tasks/input.ts'
import { startComposedTasks } from './composed-tasks.ts'
import { recordEvidenced } from './evidenced.ts'
import { decide, trustedAgent } from './registering-agent.ts'
import { creditFor, dropCredit } from './task-evidence.ts'

export const key = () => randomBytes(6).toString('hex')

/** The code of a refusal, or `ok`. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ProblemError ? error.code : String(error)),
  )

/** A trusted agent of packetops, an operator and their tasks, over HTTP. */
export async function openTaskCalls(apis: Awaited<ReturnType<typeof startComposedTasks>>) {
  const [hosts] = apis.hosts
  if (hosts === undefined) throw new Error('an API is needed')
  const { base: baseUrl, os } = hosts
  const { agent, registered, credential } = await trustedAgent(hosts, apis.operator, {
    rails: ['packetops'],
  })
  const asAgent = createClient({ baseUrl, osUrl: os, agent: credential })
  /** Signs for the configured origin, and calls where it listens. */
  const asHolder = (statusToken: string) => {
    const { OS_URL } = apis.config
    const send = (url: string, init: RequestInit) => fetch(url.replace(OS_URL, os), init)
    return createClient({
      baseUrl,
      osUrl: OS_URL,
      fetch: send,
      statusToken,
      signAsAgent: agent.signText,
    })
  }
  const asOperator = (statusToken: string) =>
    createClient({ baseUrl, osUrl: os, operator: apis.operator, statusToken })

  const begin = async (usage: RunUsage, on_gaps: 'ask' | 'report' = 'report') => {
    const input_manifest = manifestOf(packetops.sandboxInput)
    const asked = { rail: 'packetops', tier: 'standard', objective: 'a packet' } as const
    const input = packetops.sandboxInput as unknown as Record<string, unknown>
    const begun = { ...asked, usage, on_gaps, input_manifest, input, idempotency_key: key() }
    const { task, task_token } = (await asAgent.call('preflight', begun)).body
    return { taskId: task.task_id, token: task_token }
  }
  /** A task that its agent has agreed on. */
  const agreed = async (usage: RunUsage, on_gaps?: 'ask', acceptance_criteria?: string[]) => {
    const task = await begin(usage, on_gaps)
    const prepared = await asAgent.call('contract-prepare', {
      task_token: task.token,
      acceptance_criteria,
      idempotency_key: key(),
    })
    const { contract_id, terms_sha256 } = prepared.body.contract
    const signature = agent.signText(acceptanceText(contract_id, terms_sha256))
    await asAgent.call('contract-accept', {
      contract_id,
      terms_sha256,
      signature,
      idempotency_key: key(),
    })
    return { ...task, contractId: contract_id, termsSha256: terms_sha256 }
  }
  const deps = taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)
  /** As the operations of money move a task. */
  const move = <Event extends TaskEvent>(
    taskId: string,
    event: Event,
    data: TaskEventData[Event],
  ) => {
    const asked = { taskId, eventId: key(), event, actor: 'service', data } as TaskEventInput
    return transaction(apis.db, (tx) => recordEvidenced(deps, tx, { ...asked, limits: {} }))
  }
  const receiptOf = (taskId: string, kind: string) =>
    transaction(apis.db, async (tx) => {
      const task = await requireTask(tx, taskId)
      return receiptId(await writeTaskReceipt(deps, tx, { task, subject: 'en_1', kind, facts: {} }))
    })
  /** Delivers an attested result, as its charge does. */
  const deliver = async (taskId: string) =>
    move(taskId, 'receipts_issued', {
      usage_receipt_id: await receiptOf(taskId, 'usage_receipt'),
    })
  /** A task that is paid for, with its input. */
  const funded = async (usage: RunUsage = 'operational', on_gaps?: 'ask', criteria?: string[]) => {
    const task = await agreed(usage, on_gaps, criteria)
    const { quote_id, entitlement_id, settlement_receipt_id } = await creditFor(deps, task.taskId)
    await move(task.taskId, 'quote_issued', { quote_id })
    await move(task.taskId, 'credit_requested', { entitlement_id })
    await move(task.taskId, 'credit_funded', { settlement_receipt_id })
    await dropCredit(apis.db, task.taskId)
    await transaction(apis.db, (tx) => provideInput(tx, task.taskId, packetops.sandboxInput))
    return task
  }
  const raise = async (
    token: string,
    code: InputOf<'task-exception-raise'>['code'] = 'caller_dispute',
    detail = 'wrong',
  ) =>
    (await asHolder(token).call('task-exception-raise', { code, detail, idempotency_key: key() }))
      .body.exception
  const stateOf = async (token: string) =>
    (await asHolder(token).call('task-ledger', {})).body.task.state
  const reaches = (token: string, state: string) => expect.poll(() => stateOf(token)).toBe(state)
  const decided = (
    subjectId: string,
    kind: InputOf<'loop-review-record'>['subject_kind'],
    decision: Parameters<typeof decide>[3],
  ) => decide(hosts, apis.operator, subjectId, decision, { subject_kind: kind })
  /** The run of a task once it waits for its review. */
  const reviewOf = async (taskId: string): Promise<string> => {
    const waits = async () => {
      const { items } = (
        await asOperator(taskId).call('loop-review-console', { kind: 'loop_step' })
      ).body
      return items.find((item) => 'summary' in item && String(item.summary).includes(taskId))
        ?.subject_id
    }
    await expect.poll(waits).toBeDefined()
    return (await waits()) ?? ''
  }
  return {
    hosts,
    agent,
    registered,
    asAgent,
    asHolder,
    asOperator,
    begin,
    agreed,
    funded,
    move,
    deliver,
    raise,
    stateOf,
    reaches,
    decided,
    reviewOf,
  }
}

type TaskStack = {
  apis: Awaited<ReturnType<typeof startComposedTasks>>
  calls: Awaited<ReturnType<typeof openTaskCalls>>
}

/** APIs with Temporal and workers, and calls of an agent, for all tests of a file; the members are there once its tests begin. */
export function taskStack(): TaskStack {
  const stack = {} as TaskStack
  beforeAll(async () => {
    stack.apis = await startComposedTasks()
    stack.calls = await openTaskCalls(stack.apis)
  }, 120_000)
  afterAll(() => stack.apis?.stop())
  return stack
}
