import { checkCredential } from '#domain/agents/credential.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import {
  activationSteps,
  assertScope,
  type ChainStep,
  refusedAt,
  takeSteps,
} from '#domain/production/activation-chain.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { findCredential } from '../../../activities/store/agents/agent-credentials.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import {
  findPilot,
  findPilotOf,
  insertActivation,
  listPilots,
  listReadyPilots,
  type PilotRow,
} from '../../../activities/store/production/pilot-activations.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/task/facts.ts'
import { factsOf } from '../../auth/agent.ts'
import { assertQuoted } from '../runs/admission.ts'
import { ownRun } from '../runs/own-run.ts'
import type { TaskCaller } from '../tasks/access.ts'
import {
  boundView,
  type CustomerStart,
  type ProductionDeps,
  startProductionRun,
} from './production-start.ts'
import type { Writer } from './write-gate.ts'

/** The pilot of one rail, as its path offers it. */
export type PilotOffer = { id: string; path: string; rail: RailKey }
export type PilotAsked = Omit<CustomerStart, 'rail' | 'customer_account'> & {
  request: { objective: string; customer_account?: string | undefined }
  tool_scope: string[]
}
type Call = { writer: Writer; given: CustomerStart; asked: PilotAsked; callId: string }

/** Controlled pilots: production runs that a chain of seven steps activates, and that operators begin. */
export class ControlledPilotService {
  readonly #deps: ProductionDeps

  constructor(deps: ProductionDeps) {
    this.#deps = deps
  }

  /**
   * Takes the steps in their order, or continues what they activated. Throws the refusal of the step that fails with the chain so far,
   * which is stored as an audit event too, and 402 `payment_required` for an activated pilot that nothing pays for.
   */
  async run(offer: PilotOffer, writer: Writer, asked: PilotAsked, callId: string) {
    const { db, tokens } = this.#deps
    const { request, tool_scope, ...start } = asked
    const { objective, customer_account = writer.agentId } = request
    const call = { writer, asked, callId, given: { ...start, rail: offer.rail, customer_account } }
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    const isKnown = (await findPilotOf(db, taskId)) !== undefined
    const { chain, refusal } = isKnown ? noSteps : await this.#validate(offer, call)
    if (refusal !== null) throw await this.#refused(call, chain, refusal)
    const operation = {
      ...offer,
      isSold: railOf(offer.rail).takes.offer,
      purpose: `as a controlled pilot: ${objective}`,
      find: findPilotOf,
      insert: (tx: Tx, run: Activated) => insertActivation(tx, activated(call, chain, run)),
      view: (tx: Tx, row: PilotRow, task: TaskRow) => this.#view(tx, row, task),
    }
    const more = { objective, tool_scope }
    try {
      return await startProductionRun(this.#deps, operation, { ...call, more })
    } catch (error) {
      if (!(error instanceof DomainError) || (await findPilotOf(db, taskId)) !== undefined)
        throw error
      throw await this.#refused(
        call,
        [...chain, refusedAt('runtime_write', error.refusal)],
        error.refusal,
      )
    }
  }

  /** The pilot of a run; 404 where it has none, and for a run of another. */
  read(rail: RailKey, caller: TaskCaller, runId: string) {
    return transaction(this.#deps.db, async (tx) => {
      const task = await ownRun(tx, caller, runId)
      const row = await findPilotOf(tx, task.task_id)
      if (row?.rail !== rail) throw noPilot()
      return this.#view(tx, row, task)
    })
  }

  /** The pilots of a rail, newest first, and those that an operator may begin now. */
  list(rail: RailKey, state: string | undefined, page: { offset: number; limit: number }) {
    return transaction(this.#deps.db, async (tx) => {
      const { rows, total } = await listPilots(tx, { rail, state }, page)
      const items = []
      for (const row of rows)
        items.push(await this.#view(tx, row, await requireTask(tx, row.task_id)))
      const waiting = await listReadyPilots(tx, rail, READY_MAX)
      const ready = waiting.map(({ activation_id: pilot_id, work_order_id }) => ({
        pilot_id,
        work_order_id,
      }))
      return { items, ...page, total, ready }
    })
  }

  /** A pilot by its id; 404 where the rail has none. */
  find(rail: RailKey, pilotId: string) {
    return transaction(this.#deps.db, async (tx) => {
      const row = await findPilot(tx, pilotId)
      if (row?.rail !== rail) throw noPilot()
      return this.#view(tx, row, await requireTask(tx, row.task_id))
    })
  }

  /** The steps before anything is written. */
  #validate({ rail }: PilotOffer, { writer, given, asked }: Call) {
    const { db, quotes, uploadChecks } = this.#deps
    const { tier, input, quote_id } = given
    return takeSteps(['request', 'auth_validation', 'tool_scope', 'payload_validation'], {
      request: async () => {
        await assertQuoted(quotes, { rail, tier, quote_id })
        return { detail: `${rail} ${tier}, as quoted`, evidence_id: quote_id }
      },
      auth_validation: async () => {
        const held = await findCredential(db, writer.credentialId)
        const wanted = { scopes: ['runs:write' as const], rail }
        const [denial] =
          held === undefined ? [] : checkCredential(factsOf(held), wanted, held.readAt)
        if (denial !== undefined) throw refuse(denial.code, { detail: denial.detail })
        if (held?.trust_state !== 'trusted')
          throw refuse('trust_required', { detail: 'a pilot needs a trusted agent' })
        return { detail: 'a live key of a trusted agent', evidence_id: writer.credentialId }
      },
      tool_scope: async () => {
        assertScope(rail, asked.tool_scope)
        return { detail: asked.tool_scope.join(', '), evidence_id: null }
      },
      payload_validation: async () => {
        await uploadChecks.assertInput({ owner: writer.agentId, rail, tier, input })
        return { detail: 'the rail reads the input', evidence_id: digestOf(input) }
      },
    })
  }

  async #refused(call: Call, chain: ChainStep[], refusal: Refusal): Promise<DomainError> {
    const named = { call: call.callId, chain }
    const audit_event_id = `aud_${digestOf({ refused: named })}`
    await insertActivation(this.#deps.db, {
      ...rowOf(call, chain),
      activation_id: `av_${digestOf({ refused: named })}`,
      audit_event_id,
      failed_step: chain.at(-1)?.step ?? null,
      code: refusal.code,
    })
    return new DomainError({ ...refusal, extra: { ...refusal.extra, chain, audit_event_id } })
  }

  async #view(tx: Tx, row: PilotRow, task: TaskRow) {
    const bound = await boundView(this.#deps, tx, row, task)
    return {
      activation_id: row.activation_id,
      chain: row.chain,
      pilot: {
        pilot_id: row.activation_id,
        rail: row.rail as RailKey,
        state: stateOf(task, bound.run.return_package_id),
        objective: row.objective,
        tool_scope: row.tool_scope,
        customer_account: row.customer_account,
        work_order_id: bound.run.work_order_id,
        begun_at: row.begun_at.toISOString(),
      },
      run: bound.run,
      audit_event_id: row.audit_event_id,
    }
  }
}

/** How many pilots that may begin are listed. */
const READY_MAX = 25
const noSteps = { chain: [], refusal: null }
const noPilot = () => refuse('not_found', { detail: 'no such controlled pilot' })

type Activated = { task_id: string; audit_event_id: string; asked_sha256: string }

/** A whole chain: the transaction that stores it also stores the run and the audit event. */
function activated(call: Call, before: readonly ChainStep[], run: Activated) {
  const { task_id, audit_event_id, asked_sha256 } = run
  const activation_id = `av_${digestOf({ activated: task_id })}`
  const written = [
    ['runtime_write', 'task, order, contract and run are stored', runIdOf(task_id)],
    ['audit_event', 'the write gate admitted the write', audit_event_id],
    ['controlled_pilot', 'the pilot waits for its payment and its review', activation_id],
  ] as const
  const steps = written.map(([step, detail, evidence_id]) => ({
    step,
    ok: true,
    detail,
    evidence_id,
  }))
  const chain = [...before, ...steps]
  if (chain.length !== activationSteps.length) throw new Error(`${task_id} has no whole chain`)
  return { ...rowOf(call, chain), activation_id, audit_event_id, asked_sha256, task_id }
}

const rowOf = ({ writer, given, asked }: Call, chain: readonly ChainStep[]) => ({
  rail: given.rail,
  agent_id: writer.agentId,
  credential_id: writer.credentialId,
  customer_account: given.customer_account,
  objective: asked.request.objective,
  tool_scope: asked.tool_scope,
  chain,
})

type PilotState = 'activated' | 'running' | 'delivered' | 'ended'
function stateOf({ state, review_decision }: TaskRow, returned: string | null): PilotState {
  if (state === 'closed' || state === 'failed') return returned === null ? 'ended' : 'delivered'
  return review_decision === null ? 'activated' : 'running'
}
