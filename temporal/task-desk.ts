import { spokeFor } from '../activities/agents/handshake.ts'
import { isFor } from '../activities/agents/rails.ts'
import { type DerivedTokens, taskIdOf } from '../activities/keys/derived-tokens.ts'
import type { Money } from '../activities/money/desk.ts'
import { claimQuote } from '../activities/money/quotes.ts'
import { receiptView } from '../activities/receipt-view.ts'
import { type ReplayDeps, readReplayPackage, replayFileOf } from '../activities/replay-package.ts'
import { findAgent } from '../activities/store/agents.ts'
import { answerCall, claimGrant } from '../activities/store/calls.ts'
import { clockSeconds, transaction } from '../activities/store/db.ts'
import { answerOnce } from '../activities/store/once.ts'
import { send } from '../activities/store/pipeline.ts'
import { listTaskExceptions } from '../activities/store/task-exceptions.ts'
import { findTask, findTaskEvent, requireTask, type TaskRow } from '../activities/store/tasks.ts'
import { assertCallback } from '../activities/tasks/asked-input.ts'
import { requestCredit } from '../activities/tasks/credit.ts'
import type { TaskDeps } from '../activities/tasks/deps.ts'
import { type Asker, assertOwner, openTaskReads, ownContract } from '../activities/tasks/reading.ts'
import { type Actor, writeTaskReceipt } from '../activities/tasks/receipt.ts'
import { prepareReplay, type RecoveryAsk, type ReplayAsk } from '../activities/tasks/recovery.ts'
import { recoverTask } from '../activities/tasks/recovery-answer.ts'
import { contractView, taskExceptionView, taskView } from '../activities/tasks/views.ts'
import { acceptanceText } from '../workflows/domain/agent-signature.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { refuse } from '../workflows/domain/errors.ts'
import type { TaskExceptionCode } from '../workflows/domain/task-exception.ts'
import type { Check, TaskTerms } from '../workflows/domain/task-terms.ts'
import * as acts from './task-acts.ts'

export type TaskDeskDeps = TaskDeps &
  ReplayDeps & { gateway: acts.TaskGateway; money: Pick<Money, 'ofTask'>; tokens: DerivedTokens; osUrl: string }
/** Who moves a task; `actor` is what its ledger says. */
export type Mover = Asker & Actor
export type TaskDesk = ReturnType<typeof openTaskDesk>

/** What agents and operators do with tasks. Each act names its event after its call, so that a repeat finds what was done. */
export function openTaskDesk(deps: TaskDeskDeps) {
  return {
    read: {
      ...openTaskReads(deps.db),
      replayPackage: (taskId: string) => readReplayPackage(deps, taskId),
    },
    assertRail: (agentId: string, rail: string) => assertRail(deps, agentId, rail),
    /** The task of a token that stands in a body; 404 for an unknown one, 403 `not_owner` for that of another agent. */
    taskOf: (asker: Asker, token: string) => taskOfToken(deps, asker, token),
    preflight: (agentId: string, asked: Omit<TaskTerms, 'agent_id'>, callId: string) =>
      preflight(deps, agentId, asked, callId),
    withTaskToken: (answer: Record<string, unknown>, callId: string) => withTaskToken(deps, answer, callId),
    prepareContract: (mover: Mover, input: { task_token: string; acceptance_criteria: string[] }, callId: string) =>
      prepareContract(deps, mover, input, callId),
    assertAcceptance: (mover: Mover, input: Acceptance) => assertAcceptance(deps, mover, input),
    acceptContract: (mover: Mover, input: Acceptance, callId: string) => acceptContract(deps, mover, input, callId),
    raise: (taskId: string, by: Actor, input: { code: TaskExceptionCode; detail: string }, callId: string) =>
      raise(deps, taskId, by, input, callId),
    recover: (recovery: Recovery, of: { decided: boolean; callId: string }) => recover(deps, recovery, of),
    prepareReplay: (ask: Omit<ReplayAsk, 'recoveryId'>, callId: string) => prepareTaskReplay(deps, ask, callId),
  }
}

async function assertRail({ db }: TaskDeskDeps, agentId: string, rail: string): Promise<void> {
  const agent = await findAgent(db, agentId)
  if (agent !== undefined && isFor(agent, rail)) return
  throw refuse('rail_not_allowed', `the agent is not for ${rail}`, 'Use a rail of its manifest that it was allowed.')
}

async function taskOfToken({ db }: TaskDeskDeps, asker: Asker, token: string): Promise<TaskRow> {
  const task = await findTask(db, taskIdOf(token))
  if (task === undefined) throw refuse('not_found', 'nothing has this token', 'Check the task token.')
  assertOwner(asker, task)
  return task
}

async function preflight(
  deps: TaskDeskDeps,
  agentId: string,
  asked: Omit<TaskTerms, 'agent_id'>,
  callId: string,
): Promise<void> {
  const taskId = taskIdOf(await deps.tokens.statusToken('tk', callId))
  const terms = { ...asked, agent_id: agentId }
  if ((await findTask(deps.db, taskId)) === undefined) await assertAdmitted(deps, agentId, asked)
  await acts.submitTask(deps, taskId, terms, { eventId: callId, actor: `agent:${agentId}` })
  await answerOnce(deps, { callId, subject: taskId, status: 201 }, async (tx) => {
    // The judgement of the preflight is always the second entry of the ledger.
    const judged = await findTaskEvent(tx, taskId, 'own:2')
    const { checks = [] } = (judged?.data ?? {}) as { checks?: Check[] }
    const blocking = checks.filter(({ ok }) => !ok).map(({ check }) => check)
    return { task: await taskView(tx, await requireTask(tx, taskId)), checks, blocking }
  })
}

/** What would only be found out later is refused before anything is written: 403 `trust_required`, 422 `callback_refused`. */
async function assertAdmitted(
  { db, callbackHosts }: TaskDeskDeps,
  agentId: string,
  { usage, callback_url }: Pick<TaskTerms, 'usage' | 'callback_url'>,
): Promise<void> {
  const agent = await findAgent(db, agentId)
  if (usage === 'operational' && agent?.sandbox === true)
    throw refuse('trust_required', 'a sandbox agent runs nothing operational', 'Ask for usage synthetic.')
  assertCallback(callbackHosts, callback_url, usage === 'synthetic')
}

/** The stored answer of a preflight with the token of its task, which is derived anew and stored nowhere. */
async function withTaskToken({ tokens, osUrl }: TaskDeskDeps, stored: Record<string, unknown>, callId: string) {
  const task_token = await tokens.statusToken('tk', callId)
  const at = `${osUrl}/api/agents/tasks/${task_token}`
  const links = { ledger: `${at}/ledger`, exceptions: `${at}/exceptions`, attestation: `${at}/attestation` }
  return { ...stored, task_token, links }
}

async function prepareContract(
  deps: TaskDeskDeps,
  mover: Mover,
  { task_token, acceptance_criteria }: { task_token: string; acceptance_criteria: string[] },
  callId: string,
): Promise<void> {
  const asked = await taskOfToken(deps, mover, task_token)
  const act = { eventId: callId, actor: mover.actor }
  const prepared = await acts.prepareContract(deps, asked, acceptance_criteria, act)
  const { contract_id } = prepared
  await answerOnce(deps, { callId, subject: contract_id, status: 201 }, async (tx) => {
    const { contract, task } = await ownContract(tx, mover, contract_id)
    const about = { task, subject: contract_id, kind: 'intake', facts: { ...prepared, task_id: task.task_id } }
    const receipt = receiptView(await writeTaskReceipt(deps, tx, about, await clockSeconds(tx)))
    return { contract: await contractView(tx, contract, task), receipt }
  })
}

/** `quote_id`: the run is paid by credit of this quote. */
export type Acceptance = {
  contract_id: string
  terms_sha256: string
  signature: string
  quote_id?: string | undefined
  quote_token?: string | undefined
}

/** Throws 401 `proof_invalid` unless a key that speaks for the contract's agent signed this acceptance. */
async function assertAcceptance(deps: TaskDeskDeps, mover: Mover, input: Acceptance): Promise<void> {
  const { contract_id, terms_sha256, signature } = input
  const { task } = await transaction(deps.db, (tx) => ownContract(tx, mover, contract_id))
  if (await spokeFor(deps, task.agent_id ?? '', acceptanceText(contract_id, terms_sha256), signature)) return
  throw refuse(
    'proof_invalid',
    'the signature is not of the registered key over this contract and these terms',
    `Sign ${JSON.stringify(acceptanceText('<contract_id>', '<terms_sha256>'))} with the registered key.`,
  )
}

async function acceptContract(deps: TaskDeskDeps, mover: Mover, input: Acceptance, callId: string): Promise<void> {
  const { contract_id, terms_sha256, signature, quote_id, quote_token } = input
  const { task } = await transaction(deps.db, async (tx) => {
    const found = await ownContract(tx, mover, contract_id)
    // The money is asked for before the task is told, which then goes on as far as that leads.
    if (quote_id !== undefined && found.contract.state === 'ready') {
      await claimQuote(tx, quote_id, found.task.agent_id ?? found.task.task_id, quote_token)
      await requestCredit(deps, tx, found.task, quote_id)
    }
    return found
  })
  const acceptance = { text: acceptanceText(contract_id, terms_sha256), signature, agent_id: task.agent_id }
  const act = { eventId: callId, actor: mover.actor }
  await acts.acceptContract(deps, task.task_id, { terms_sha256, acceptance }, act)
  await answerOnce(deps, { callId, subject: contract_id, status: 200 }, async (tx) => {
    const now = await ownContract(tx, mover, contract_id)
    const money = await deps.money.ofTask(tx, task.task_id)
    return { contract: await contractView(tx, now.contract, now.task), task: await taskView(tx, now.task), ...money }
  })
}

async function raise(
  deps: TaskDeskDeps,
  taskId: string,
  by: Actor,
  data: { code: TaskExceptionCode; detail: string },
  callId: string,
): Promise<void> {
  await deps.gateway.send(taskId, { eventId: callId, event: 'exception_raised', ...by, data })
  await answerOnce(deps, { callId, subject: taskId, status: 201 }, async (tx) => {
    const task = await requireTask(tx, taskId)
    const raised = (await findTaskEvent(tx, taskId, callId))?.sequence
    const exception = (await listTaskExceptions(tx, taskId)).find(({ sequence }) => sequence === raised)
    if (exception === undefined) throw new Error('an exception that was raised is not there')
    return { exception: taskExceptionView(exception), task: await taskView(tx, task) }
  })
}

type Recovery = Omit<RecoveryAsk, 'recoveryId' | 'decided'>
const recoveryIdOf = (callId: string): string => `rec_${digestOf({ call: callId })}`

/** A recovery is recorded with what it does in one transaction, and its workflow told before and after: it goes on from the row. */
async function recover(
  deps: TaskDeskDeps,
  recovery: Recovery,
  { decided, callId }: { decided: boolean; callId: string },
): Promise<{ status: number; body?: Record<string, unknown> }> {
  const { taskId } = recovery
  return told(deps, taskId, () =>
    transaction(deps.db, async (tx) => {
      await claimGrant(tx, callId, taskId)
      const { waits, body } = await recoverTask(deps, tx, { ...recovery, decided, recoveryId: recoveryIdOf(callId) })
      if (waits) return { status: 202, body }
      await send(tx, answerCall(callId, taskId, 200, body))
      return { status: 200 }
    }),
  )
}

async function prepareTaskReplay(
  deps: TaskDeskDeps,
  ask: Omit<ReplayAsk, 'recoveryId'>,
  callId: string,
): Promise<void> {
  const { taskId } = ask
  await told(deps, taskId, () =>
    answerOnce(deps, { callId, subject: taskId, status: 201 }, async (tx) => {
      const receipt = receiptView(await prepareReplay(deps, tx, { ...ask, recoveryId: recoveryIdOf(callId) }))
      const task = await taskView(tx, await requireTask(tx, taskId))
      return { ...(await replayFileOf(deps, tx, taskId)), task, receipt }
    }),
  )
}

/** Nothing is done to a task whose workflow cannot be told; what was done stands whether or not it can be told then. */
async function told<Result>({ gateway }: TaskDeskDeps, taskId: string, act: () => Promise<Result>): Promise<Result> {
  await gateway.wake(taskId)
  const result = await act()
  await gateway.wake(taskId).catch(() => undefined)
  return result
}
