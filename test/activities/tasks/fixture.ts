import { createHash, randomBytes } from 'node:crypto'
import { callbackDeliveryId } from '#domain/callbacks/callback.ts'
import { DomainError, type Refusal } from '#domain/core/errors.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { COMPLETION_TYP } from '#domain/runs/return-package.ts'
import { dataPolicy } from '#domain/tasks/data-declaration.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import type { TaskEventData, TaskTerms } from '#domain/tasks/terms.ts'
import { receiptSigner, signerOf } from '../../../activities/container.ts'
import { issueQuote } from '../../../activities/credit/quotes.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { moveTrust } from '../../../activities/store/agents/agents.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { requireTask, storeDocument, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { claimCredit } from '../../../activities/tasks/credit.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { createTaskSteps } from '../../../activities/tasks/task.ts'
import type { TaskEventInput } from '../../../activities/tasks/task-event.ts'
import type { StateLimits } from '../../../workflows/shared/timing.ts'
import type { TaskSnapshot } from '../../../workflows/tasks/activities.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { recordEvidenced } from '../../support/evidenced.ts'
import { defaultFees } from '../../support/fees.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { approved, creditFor, dropCredit } from '../../support/task-evidence.ts'

export const hour = 3_600_000
export const stateLimits: StateLimits = {
  contract_ready: 24 * hour,
  quoted: 24 * hour,
  credit_pending: hour,
}

const newTaskId = (): string =>
  `task-${createHash('sha256')
    .update(`tk_${randomBytes(32).toString('base64url')}`)
    .digest('hex')}`

/** An agent that every rig knows and trusts; only rows of its kind are trusted. */
export const trustedAgent = `agt_${'a1'.repeat(32)}`

const terms: TaskTerms = {
  agent_id: trustedAgent,
  rail: 'packetops',
  tier: 'standard',
  usage: 'synthetic',
  on_gaps: 'report',
  callback_url: 'https://hooks.receiver.example/in?key=s3cret',
  objective: 'a packet',
  input_manifest: [],
}

const byMoney: readonly TaskState[] = ['quoted', 'credit_pending', 'credit_funded']
type Move = { [Event in TaskEvent]: [Event, TaskEventData[Event]] }[TaskEvent]

export type EventResult = { ok: true; snapshot: TaskSnapshot } | { ok: false; refusal: Refusal }

/** Stores an event as the API does, and then makes the transitions that follow as the task's workflow does. */
export async function sendEvent(deps: TaskDeps, input: TaskEventInput): Promise<EventResult> {
  const { taskId, limits = stateLimits } = input
  try {
    await transaction(deps.db, (tx) => recordEvidenced(deps, tx, input))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { ok: false, refusal: error.refusal }
  }
  const snapshot = await createTaskSteps(deps, limits).advanceTask({ taskId, leftSlot: true })
  if (snapshot === null) throw new Error('the task of a stored event is missing')
  return { ok: true, snapshot }
}

/** Tasks in a database of their own, moved by the real activities. */
export async function startTasks(changes: Partial<TaskDeps> = {}, database?: TestDatabase) {
  const { db, url, stop } = database ?? (await startDatabase())
  await registeredAgent(db, { agentId: trustedAgent })
  const decision = { decisionId: 'rd_1', limits: undefined }
  await transaction(db, (tx) => moveTrust(tx, trustedAgent, ['under_review', 'trusted'], decision))
  const keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(db, keys)
  const deps: TaskDeps = {
    db,
    environment: 'local',
    issuer: 'http://127.0.0.1:3000/api/trust-contract',
    signReceipt: receiptSigner(keys),
    signCompletion: signerOf(keys, COMPLETION_TYP),
    callbackHosts: {
      ownHosts: ['service.example'],
      exempt: [],
      demoReceiver: 'https://hooks.receiver.example/in',
    },
    model: null,
    fees: defaultFees,
    runsAtOnce: { agent: 100, rail: 100 },
    ...changes,
  }

  return {
    ...openTaskRows(db, deps),
    db,
    deps,
    keys,
    steps: createTaskSteps(deps),
    url,
    stop,
  }
}

/** Tasks that are moved by the real activities, each move by itself. */
export function openTaskRows(db: TaskDeps['db'], deps: TaskDeps) {
  const record = (
    taskId: string,
    [event, data]: Move,
    eventId = randomBytes(8).toString('hex'),
    limits = stateLimits,
  ) =>
    transaction(db, (tx) =>
      recordEvidenced(deps, tx, {
        taskId,
        eventId,
        event,
        actor: `agent:${trustedAgent}`,
        data,
        limits,
      } as TaskEventInput),
    )

  /** Stores the terms of a new task without submitting it. */
  async function draft(
    changed: Partial<TaskTerms> = {},
    taskId = newTaskId(),
  ): Promise<{ taskId: string; submit: ['submit', TaskEventData['submit']] }> {
    const terms_sha256 = await storeDocument(db, taskId, { ...terms, ...changed })
    return { taskId, submit: ['submit', { terms_sha256 }] }
  }

  /** Moves that lead from one state to the next on the way to `closed`, each by itself, without what follows from it. */
  async function pathOf(taskId: string, submit: Move): Promise<[TaskState, Move][]> {
    const input = await storeDocument(db, taskId, packetops.sandboxInput)
    const contract = await storeDocument(db, taskId, {
      contract: 'terms',
      task_id: taskId,
      data_policy: dataPolicy(deps.model),
    })
    const hash = 'a'.repeat(64)
    const contract_id = `ct_${taskId.slice(5)}`
    const delivery_id = callbackDeliveryId(taskId, 'task_updated', 1)
    return [
      ['created', submit],
      ['preflight_checked', ['preflight_passed', { checks: [] }]],
      ['contract_ready', ['contract_prepared', { contract_id, terms_sha256: contract }]],
      ['contract_accepted', ['contract_accepted', { terms_sha256: contract }]],
      ['trust_pending', ['trust_requested', {}]],
      ['trusted', ['trust_granted', {}]],
      ['quoted', ['quote_issued', { quote_id: 'qt_1' }]],
      ['credit_pending', ['credit_requested', { entitlement_id: 'en_1' }]],
      ['credit_funded', ['credit_funded', { settlement_receipt_id: `rc_${hash}` }]],
      [
        'queued',
        [
          'enqueued',
          { review_decision: 'sandbox_policy', input_sha256: input, run_contract_sha256: hash },
        ],
      ],
      ['operating', ['started', { run_id: runIdOf(taskId) }]],
      [
        'result_ready',
        ['result_produced', { return_package_id: `rp_${hash}`, result_sha256: hash }],
      ],
      ['attested', ['result_attested', { receipt_id: `rc_${hash}`, proof_hash: hash }]],
      ['receipt_issued', ['receipts_issued', { usage_receipt_id: `rc_${hash}` }]],
      ['callback_pending', ['callback_scheduled', { delivery_id }]],
      ['callback_delivered', ['callback_delivered', { delivery_id }]],
      ['closed', ['closed', {}]],
    ]
  }

  /** Credit of the sandbox for two runs, of which the task uses one; it takes a trusted task to `credit_funded` by itself. */
  const claim = (taskId: string) =>
    transaction(db, async (tx) => {
      const task = await requireTask(tx, taskId)
      const by = { owner: task.agent_id ?? taskId }
      const { quote_id } = await issueQuote(deps, tx, {
        by,
        rail: packetops,
        tier: 'standard',
        units: 2,
        taskId,
      })
      return claimCredit(deps, tx, { task, quoteId: quote_id })
    })

  async function fund(taskId: string): Promise<TaskRow> {
    await claim(taskId)
    await createTaskSteps(deps).advanceTask({ taskId, leftSlot: false })
    return requireTask(db, taskId)
  }

  /** A task that rests in this state; a `paid` one has credit for its work, where it has come so far. */
  async function taskIn(
    state: TaskState,
    changed: Partial<TaskTerms> = {},
    { named = newTaskId(), paid = false } = {},
  ): Promise<TaskRow> {
    const { taskId, submit } = await draft(changed, named)
    const path = await pathOf(taskId, submit)
    const moves: Record<string, Move[]> = {
      evidence_partial: [['evidence_missing', { gaps: 1 }]],
      exception_open: [['exception_raised', { code: 'operator_hold', detail: 'held' }]],
      replay_ready: [
        ['exception_raised', { code: 'operator_hold', detail: 'held' }],
        ['replay_prepared', { action: 'replay' }],
      ],
      failed: [
        ['exception_raised', { code: 'operator_hold', detail: 'held' }],
        ['abandoned', {}],
      ],
    }
    const last = state in moves ? 'operating' : state
    const works =
      path.findIndex(([reached]) => reached === last) >=
      path.findIndex(([reached]) => reached === 'credit_funded')
    let evidence: Record<string, string> = {}
    let row: TaskRow | undefined
    for (const [reached, [event, data]] of path) {
      if (reached === 'quoted' && works && !paid) evidence = await creditFor(deps, taskId)
      if (reached === 'queued' && changed.usage === 'operational')
        evidence = { review_decision: await approved(deps, taskId) }
      const known = Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, evidence[name] ?? value]),
      )
      if (!paid || !byMoney.includes(reached)) row = await record(taskId, [event, known] as Move)
      else if (reached === 'credit_funded') row = await fund(taskId)
      if (reached === 'credit_funded' && !paid) await dropCredit(db, taskId)
      if (reached === last) break
    }
    for (const move of moves[state] ?? []) row = await record(taskId, move)
    if (row?.state !== state) throw new Error(`no way to ${state}`)
    return row
  }

  return { record, draft, taskIn, claim }
}
