import { refuse } from '#domain/core/errors.ts'
import type { RecordKind } from '#domain/core/record-kinds.ts'
import { railOf } from '#domain/rails/index.ts'
import { uploadDigestsOf } from '#domain/rails/input/uploads.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import {
  recoveriesOf,
  type TaskExceptionCode,
  type TaskExceptionState,
} from '#domain/tasks/exception.ts'
import type { Check, TaskTerms } from '#domain/tasks/terms.ts'
import { type DerivedTokens, taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { listTaskExceptions } from '../../../activities/store/tasks/task-exceptions.ts'
import { listTaskRecords } from '../../../activities/store/tasks/task-records.ts'
import {
  findDocument,
  findTask,
  findTaskEvent,
  listLedger,
  requireTask,
  type TaskRow,
} from '../../../activities/store/tasks/tasks.ts'
import { makeAutomaticTransitions } from '../../../activities/tasks/automatic-transitions.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { Actor } from '../../../activities/tasks/receipt.ts'
import { recordTransition } from '../../../activities/tasks/transition.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import { isFor } from '../../auth/credential-standing.ts'
import type { ListReading } from '../inputs/asked-input.ts'
import { assertCallback } from '../inputs/asked-input.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import { type TaskCaller, taskOfToken } from './access.ts'
import { submitTask } from './agreement.ts'
import { assertManifest, manifestOf, sizedUploads } from './input.ts'
import { takenSteps } from './steps.ts'
import { recordView, taskExceptionView, taskView } from './views.ts'

type Deps = TaskDeps & {
  gateway: TaskGateway
  uploadChecks: Pick<UploadChecks, 'assertInput'>
  tokens: DerivedTokens
  osUrl: string
}
type RaisedException = Actor & { taskId: string; code: TaskExceptionCode; detail: string }

/** What a preflight asks for; an input is read and not kept. */
type PreflightAsked = Omit<TaskTerms, 'agent_id' | 'input_manifest'> & {
  input_manifest?: TaskTerms['input_manifest'] | undefined
  input?: Record<string, unknown> | undefined
}

const unreadInput = () =>
  refuse('input_rejected', {
    detail:
      'an operational run needs its input at the preflight, so that its faults are found before payment',
    next_action: 'Send it as `input`; its digest is announced, and it is not kept.',
    errors: [{ pointer: '/input', message: 'is missing' }],
  })

/** Tasks as agents and operators begin, read and stop them. Each event is named after its call, so that a repeat finds it. */
export class TaskService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** Throws 403 `rail_not_allowed` unless the agent may run the rail. */
  async assertRail(agentId: string, rail: RailKey): Promise<void> {
    const agent = await findAgent(this.deps.db, agentId)
    if (agent !== undefined && isFor(agent, rail)) return
    throw refuse('rail_not_allowed', { detail: `the agent may not run ${rail}` })
  }

  /** The task of a token in a body; 404 for an unknown token, 403 `not_owner` for the task of another agent. */
  ofToken(caller: TaskCaller, token: string): Promise<TaskRow> {
    return taskOfToken(this.deps.db, caller, token)
  }

  /** Begins a task and answers the checks of its preflight. 422 `input_rejected` for the faults of a given input, `evidence_mismatch` for another than announced. */
  async preflight(
    agentId: string,
    { input, input_manifest, ...asked }: PreflightAsked,
    callId: string,
  ): Promise<void> {
    const { db, tokens } = this.deps
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    const announced = input_manifest ?? manifestOf(input)
    const terms = { ...asked, agent_id: agentId, input_manifest: announced }
    let readings: ListReading[] = []
    if ((await findTask(db, taskId)) === undefined) {
      await this.#assertAdmitted(terms)
      if (input !== undefined) readings = await this.#assertAnnounced(agentId, terms, input)
      else if (terms.usage === 'operational') throw unreadInput()
    }
    const named = { taskId, eventId: callId, actor: `agent:${agentId}` }
    await answerOnce(this.deps, { callId, subject: taskId, status: 201 }, async (tx) => {
      const submitted = await submitTask(this.deps, tx, { ...named, terms })
      await makeAutomaticTransitions(this.deps, tx, { task: submitted })
      // The preflight is always the second entry of the ledger.
      const checked = await findTaskEvent(tx, taskId, 'own:2')
      const { checks = [] } = (checked?.data ?? {}) as { checks?: Check[] }
      const blocking = checks.filter(({ ok }) => !ok).map(({ check }) => check)
      const task = await taskView(tx, await requireTask(tx, taskId))
      return { task, checks, blocking, readings }
    })
    // The answer is stored; its workflow reads the task now, or by the sweep.
    await this.deps.gateway.advance(taskId).catch(() => undefined)
  }

  /** Adds the task's token, which is derived and never stored, to the stored answer of a preflight. */
  async withTaskToken(stored: Record<string, unknown>, callId: string) {
    const task_token = await this.deps.tokens.statusToken('tk', callId)
    const at = `${this.deps.osUrl}/api/agents/tasks/${task_token}`
    const links = {
      ledger: `${at}/ledger`,
      exceptions: `${at}/exceptions`,
      attestation: `${at}/attestation`,
    }
    return { ...stored, task_token, links }
  }

  read(taskId: string) {
    return transaction(this.deps.db, async (tx) => taskView(tx, await requireTask(tx, taskId)))
  }

  ledger(
    taskId: string,
    { from, most, kind }: { from: number; most: number; kind?: RecordKind | undefined },
  ) {
    return transaction(this.deps.db, async (tx) => {
      const task = await requireTask(tx, taskId)
      const entries = await listLedger(tx, taskId, { from, most })
      const records = (await listTaskRecords(tx, taskId, kind)).map(recordView)
      const complete = (entries.at(-1)?.sequence ?? from - 1) >= task.sequence
      const view = await taskView(tx, task)
      return { task: view, entries, head_hash: task.head_hash, complete, records }
    })
  }

  /** The last steps that the run of a task has taken. */
  steps(taskId: string) {
    return transaction(this.deps.db, async (tx) => {
      const { state, run_id } = await requireTask(tx, taskId)
      return { task_id: taskId, state, run_id, steps: await takenSteps(tx, run_id) }
    })
  }

  /** The closing attestation of the whole ledger, or else the one of the run. Throws 409 `not_ready`. */
  attestation(taskId: string) {
    return transaction(this.deps.db, async (tx) => {
      const task = await requireTask(tx, taskId)
      const subjects = task.run_id === null ? [taskId] : [taskId, task.run_id]
      for (const subject of subjects) {
        const found = (await listReceipts(tx, subject)).find(({ kind }) => kind === 'attestation')
        if (found !== undefined) return receiptView(found.jws)
      }
      throw refuse('not_ready', {
        detail: `the task is ${task.state}`,
        next_action: 'Read the task until it is attested.',
        extra: { state: task.state },
      })
    })
  }

  exceptions(taskId: string, state: TaskExceptionState | undefined) {
    return transaction(this.deps.db, async (tx) => {
      const rows = await listTaskExceptions(tx, taskId)
      const task = await taskView(tx, await requireTask(tx, taskId))
      const open = rows.findLast(({ closed_at }) => closed_at === null)
      const proposed = open?.proposed_input_sha256 ?? null
      const proposed_input =
        proposed === null
          ? null
          : ((await findDocument(tx, taskId, proposed)) as Record<string, unknown>)
      return {
        items: rows
          .filter((row) => state === undefined || row.state === state)
          .map(taskExceptionView),
        proposed_input,
        allowed_recoveries: open === undefined ? [] : [...recoveriesOf(open)],
        waiting_for: task.waiting_for,
        waiting_since: task.waiting_since,
        gaps: task.gaps,
        required_action: task.required_action,
        next_action: task.next_action,
      }
    })
  }

  /** Stops a task with an exception. Throws 409 `wrong_state`. */
  async raise({ taskId, actor, actorName, code, detail }: RaisedException, callId: string) {
    const by = { eventId: callId, actor, actorName }
    await answerOnce(this.deps, { callId, subject: taskId, status: 201 }, async (tx) => {
      const data = { code, detail }
      await recordTransition(this.deps, tx, { taskId, ...by, event: 'exception_raised', data })
      const task = await requireTask(tx, taskId)
      const raised = (await findTaskEvent(tx, taskId, callId))?.sequence
      const rows = await listTaskExceptions(tx, taskId)
      const exception = rows.find(({ sequence }) => sequence === raised)
      if (exception === undefined) throw new Error('the exception of a recorded event is missing')
      return { exception: taskExceptionView(exception), task: await taskView(tx, task) }
    })
    // The exception is stored; a step of a run that is under way finds it, and the sweep does the rest.
    await this.deps.gateway.advance(taskId).catch(() => undefined)
  }

  /** Refuses before anything is written what the task would be refused later: 403 `trust_required`, 422 `callback_refused`. */
  async #assertAdmitted({ agent_id, usage, callback_url }: TaskTerms): Promise<void> {
    const agent = await findAgent(this.deps.db, agent_id ?? '')
    if (usage === 'operational' && agent?.sandbox === true)
      throw refuse('trust_required', {
        detail: 'a sandbox agent may not run operational tasks',
        next_action: 'Ask for usage synthetic.',
      })
    assertCallback(this.deps.callbackHosts, callback_url, usage === 'synthetic')
  }

  async #assertAnnounced(
    owner: string,
    { rail, tier, input_manifest }: TaskTerms,
    input: Record<string, unknown>,
  ): Promise<ListReading[]> {
    const readings = await this.deps.uploadChecks.assertInput({ owner, rail, tier, input })
    const uploads = uploadDigestsOf(railOf(rail), input)
    const sized = await sizedUploads(this.deps.db, owner, uploads)
    assertManifest(input_manifest, [...manifestOf(input), ...sized])
    return readings
  }
}
