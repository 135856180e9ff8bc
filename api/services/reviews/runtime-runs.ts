import { digestOf } from '#domain/core/canonical-json.ts'
import type { ErrorCode } from '#domain/core/error-codes.ts'
import { refuse } from '#domain/core/errors.ts'
import type { PilotFunding, PilotState } from '#domain/pilots/pilot.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import { requireQuote, withdrawChallenge } from '../../../activities/credit/quotes.ts'
import { fundFromGrant } from '../../../activities/credit/sandbox.ts'
import { isTrustedAgent } from '../../../activities/store/agents/agents.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import { lockTask } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { PilotRunService } from '../pilots/runs.ts'
import { recordTrial, storedInput } from '../pilots/trials.ts'
import type { SandboxService } from '../runs/sandbox.ts'
import type { BatchInput, Reviewer, ReviewService } from './reviews.ts'
import { reviseRun } from './revise.ts'

type Deps = TaskDeps & {
  pilots: Pick<PilotRunService, 'list' | 'find' | 'ready'>
  reviews: Pick<ReviewService, 'roots' | 'recordBatch'>
  sandbox: Pick<SandboxService, 'start' | 'runs'>
  gateway: Pick<TaskGateway, 'advance' | 'wake'>
}
type Begin = {
  pilot_id: string
  funding: PilotFunding
  /** Instead of the input that is stored with the pilot. */
  input?: Record<string, unknown> | undefined
  decision_note: string
  evidence_root_sha256?: string | undefined
}
type Granting = { reviewer: Reviewer; decision: string }
type Found = Awaited<ReturnType<PilotRunService['find']>>
type PilotRun = NonNullable<Found['run']>

/** Pilots as operators see them, and begin their runs. */
export class RuntimeRunService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** The pilots of a rail, and those that may begin with the root of the evidence that their approval cites. */
  async list(
    rail: RailKey,
    state: PilotState | undefined,
    page: { offset: number; limit: number },
  ) {
    const { pilots, reviews } = this.deps
    const listed = await pilots.list({ rail, states: state && [state] }, page)
    const ready_to_run = []
    for (const { pilot_id, work_order_id, is_paid } of await pilots.ready(rail)) {
      const { evidence_root_sha256 } = await reviews.roots(work_order_id)
      ready_to_run.push({ pilot_id, evidence_root_sha256, is_paid })
    }
    return { ...listed, ready_to_run }
  }

  /**
   * Begins a synthetic run, or approves the order of the pilot's own run, which is paid or gets its credit by a grant. Another input
   * is proposed to the agent of the run instead. 404, 409 `wrong_state`, `payment_pending`, `already_decided`, `evidence_changed`.
   */
  async begin(rail: RailKey, reviewer: Reviewer, asked: Begin, callId: string) {
    const { pilots } = this.deps
    const found = await pilots.find(rail, asked.pilot_id)
    const again = () => pilots.find(rail, asked.pilot_id)
    if (asked.funding === 'synthetic') {
      await this.#tryOut(found, reviewer, asked, callId)
      return { ...(await again()), review_decision: null }
    }
    if (found.run === null) throw refuse('wrong_state', { detail: 'the pilot has no run' })
    if (asked.input !== undefined && (await this.#propose(found.run, reviewer, asked, callId)))
      return { ...(await again()), review_decision: null }
    await this.#assertFunding(found, found.run, asked.funding)
    const review_decision = await this.#approve(found.run, reviewer, asked)
    if (asked.funding === 'granted_entitlement') await this.deps.gateway.advance(found.run.task_id)
    return { ...(await again()), review_decision }
  }

  /** Real work on real input, labelled synthetic: no money moves, and the pilot stays as it is. */
  async #tryOut({ pilot }: Found, reviewer: Reviewer, asked: Begin, callId: string) {
    const { db, sandbox } = this.deps
    const { pilot_id: pilotId, rail, tier } = pilot
    const input = asked.input ?? (await storedInput(db, pilotId))
    if (input === undefined) throw noInput()
    const { operatorId } = reviewer
    const trial = { pilotId, operatorId, note: asked.decision_note }
    const by = {
      actor: `operator:${operatorId}`,
      record: (tx: Tx, taskId: string) => recordTrial(this.deps, tx, { ...trial, taskId }),
    }
    const given = input as Record<string, unknown>
    const run = { rail, tier, input: given, among: sandbox.runs, fault: 'none', by } as const
    await sandbox.start(run, callId)
  }

  /** Stops the run with another input, which its agent has to accept. False where it is the input that the run has. */
  async #propose(run: PilotRun, reviewer: Reviewer, asked: Begin, callId: string) {
    const { db, gateway } = this.deps
    const { decision_note: note, input = {} } = asked
    const sha256 = digestOf(input)
    const isProposed = await transaction(db, async (tx) => {
      const task = await lockTask(tx, run.task_id)
      if (task === undefined || task.input_sha256 === sha256) return false
      const { operatorId, name } = reviewer
      const operator = { operatorId, name }
      const proposed = {
        taskId: run.task_id,
        decisionId: callId,
        note,
        revision: { input },
        operator,
      }
      await reviseRun(this.deps, tx, proposed)
      return true
    })
    if (isProposed) await gateway.wake(run.task_id).catch(() => undefined)
    return isProposed
  }

  /** Throws 409 `wrong_state` where the run is not paid, or is and needs no grant. */
  async #assertFunding({ funding }: Found, run: PilotRun, wanted: PilotFunding) {
    const isUnpaid = run.waiting_for.includes('credit')
    if (wanted === 'settled_payment' && isUnpaid)
      throw refuse('wrong_state', {
        detail: `its run is ${run.state}: it is not paid`,
        next_action: 'Begin one that is_paid, or grant it its credit.',
      })
    if (wanted === 'granted_entitlement' && !isUnpaid && funding !== wanted)
      throw refuse('wrong_state', { detail: `its run is ${run.state}: it needs no grant` })
    if (wanted === 'granted_entitlement') await assertOneRun(this.deps.db, run.quote_id ?? '')
  }

  /** Approves the order of the run, with its grant where it gets one. */
  async #approve(run: PilotRun, reviewer: Reviewer, asked: Begin) {
    const work_order_id = run.work_order_id ?? ''
    const { decision_note: note, evidence_root_sha256 = '' } = asked
    let ungranted: unknown
    const grant = (tx: Tx, receiptId: string) =>
      this.#grant(tx, run, { reviewer, decision: receiptId }).catch((error: unknown) => {
        ungranted = error
        throw error
      })
    const batch: BatchInput = {
      subject_kind: 'work_order',
      decision: 'approve',
      note,
      judgements: [],
      items: [{ subject_id: work_order_id, evidence_root_sha256 }],
      dry_run: false,
    }
    const isGranted = asked.funding === 'granted_entitlement'
    const [outcome] = await this.deps.reviews.recordBatch(
      reviewer,
      batch,
      isGranted ? grant : undefined,
    )
    if (ungranted !== undefined && outcome?.receipt_id == null) throw ungranted
    if (outcome?.receipt_id == null) {
      const { code = 'wrong_state', detail = 'nothing was decided' } = outcome?.refused ?? {}
      throw refuse(code as ErrorCode, { detail })
    }
    return { decision: 'approve' as const, work_order_id, receipt_id: outcome.receipt_id }
  }

  /** Funds the approved run from the account of grants, once; what it was to be paid by can no longer be paid. */
  async #grant(tx: Tx, { task_id }: PilotRun, { reviewer, decision }: Granting): Promise<void> {
    const task = await lockTask(tx, task_id)
    await assertNotPaused(tx, task && { rail: task.rail, agentId: task.agent_id })
    if (task?.agent_id == null || !(await isTrustedAgent(tx, task.agent_id)))
      throw refuse('trust_required', { detail: 'a grant is for a trusted agent' })
    const credit = await findTaskCredit(tx, task_id)
    if (credit === undefined) throw refuse('wrong_state', { detail: 'it asks for no credit' })
    await assertOneRun(tx, credit.quote_id)
    await withdrawChallenge(tx, credit.quote_id)
    await fundFromGrant(this.deps, tx, {
      entitlementId: credit.entitlement_id,
      operator: `operator:${reviewer.operatorId}`,
      decision,
    })
  }
}

/** One decision grants one run. */
async function assertOneRun(tx: Tx, quoteId: string): Promise<void> {
  const { units } = await requireQuote(tx, quoteId)
  if (units === 1) return
  throw refuse('wrong_state', {
    detail: `its quote is for ${units} runs, and a grant for one`,
    next_action: 'Have its agent start it with a quote of one run.',
  })
}

const noInput = () =>
  refuse('invalid_request', {
    detail: 'no input is stored with the pilot',
    next_action: 'Send one.',
    errors: [{ pointer: '/input', message: 'is required: the pilot has none yet' }],
  })
