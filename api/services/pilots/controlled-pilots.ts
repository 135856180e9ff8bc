import { checkCredential } from '#domain/agents/credential.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import { priceOf } from '#domain/credit/pricing.ts'
import {
  activationSteps,
  type ChainStep,
  grantScope,
  refusedAt,
  takeSteps,
} from '#domain/production/activation-chain.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { secretSha256, taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { findCredential } from '../../../activities/store/agents/agent-credentials.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { insertActivation } from '../../../activities/store/pilots/activations.ts'
import {
  insertPilot,
  type PilotRow,
  requireLockedPilot,
  requirePilot,
} from '../../../activities/store/pilots/pilots.ts'
import { findPilotRun, type PilotRunRow } from '../../../activities/store/pilots/runs.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { factsOf } from '../../auth/credential-standing.ts'
import type { Writer } from '../authority/write-gate.ts'
import {
  boundView,
  type CustomerStart,
  type ProductionDeps,
  startProductionRun,
} from '../production/production-start.ts'
import { assertQuoted } from '../runs/admission.ts'
import { ownRun } from '../runs/own-run.ts'
import type { TaskCaller } from '../tasks/access.ts'
import { pilotIdOf } from './pilots.ts'
import { assertActivated, assertOwn, beginPilot } from './runs.ts'
import { pilotView } from './views.ts'
import { activationOf, pilotWork } from './work.ts'

/** The pilot of one rail, as its path offers it. */
export type PilotOffer = { id: string; path: string; rail: RailKey }
export type PilotAsked = Omit<CustomerStart, 'rail' | 'customer_account'> & {
  /** `pilot_id`: an activated pilot of the agent, whose run this is. */
  request: {
    objective: string
    customer_account?: string | undefined
    pilot_id?: string | undefined
  }
  tool_scope: string[]
  /** What the key of the call lacks. */
  denied?: Refusal | undefined
}
type Call = { writer: Writer; given: CustomerStart; asked: PilotAsked; callId: string }

/** Controlled pilots: production runs that a chain of seven steps activates, and that operators begin. */
export class ControlledPilotService {
  private readonly deps: ProductionDeps

  constructor(deps: ProductionDeps) {
    this.deps = deps
  }

  /**
   * Takes the steps in their order, or continues what they activated. Throws the refusal of the step that fails with the chain so far,
   * which is stored as an audit event too, and 402 `payment_required` for an activated pilot that nothing pays for.
   */
  async run(offer: PilotOffer, writer: Writer, asked: PilotAsked, callId: string) {
    const { db, tokens } = this.deps
    const { request, tool_scope, denied: _denied, ...start } = asked
    const { objective, customer_account = writer.agentId, pilot_id } = request
    const call = { writer, asked, callId, given: { ...start, rail: offer.rail, customer_account } }
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    const isKnown = (await findRun(db, taskId)) !== undefined
    const { chain, refusal } = isKnown ? noSteps : await this.#validate(offer, call)
    if (refusal !== null) throw await this.#refused(call, chain, refusal)
    const operation = {
      ...offer,
      isSold: railOf(offer.rail).takes.offer,
      purpose: `as a controlled pilot: ${objective}`,
      find: findRun,
      insert: (tx: Tx, run: Activated) => this.#activate(tx, call, chain, run),
      view: (tx: Tx, row: PilotRunRow, task: TaskRow) => this.#view(tx, row, task),
    }
    const more = { objective, tool_scope, ...(pilot_id === undefined ? {} : { pilot_id }) }
    try {
      return await startProductionRun(this.deps, operation, { ...call, more })
    } catch (error) {
      if (!(error instanceof DomainError) || (await findRun(db, taskId)) !== undefined) throw error
      throw await this.#refused(
        call,
        [...chain, refusedAt('runtime_write', error.refusal)],
        error.refusal,
      )
    }
  }

  /** The token by which the pilot of a call is read; it is derived and never stored. */
  tokenOf(callId: string): Promise<string> {
    return this.deps.tokens.statusToken('pt', callId)
  }

  /** The pilot of a run; 404 where it has none, and for a run of another. */
  read(rail: RailKey, caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx) => {
      const task = await ownRun(tx, caller, runId)
      const row = await findRun(tx, task.task_id)
      const pilot = row && (await requirePilot(tx, row.pilot_id))
      const work = pilot?.rail === rail ? await pilotWork(this.deps, tx, pilot) : undefined
      if (work == null || work.activation_id === null) throw noControlledPilot()
      return work
    })
  }

  /** The steps before anything is written. */
  #validate({ rail }: PilotOffer, { writer, given, asked }: Call) {
    const { db, quotes, uploadChecks } = this.deps
    const { tier, input, quote_id } = given
    return takeSteps(['request', 'auth_validation', 'tool_scope', 'payload_validation'], {
      request: async () => {
        await assertQuoted(quotes, { rail, tier, quote_id })
        const { pilot_id } = asked.request
        if (pilot_id !== undefined)
          assertBegins(await requirePilot(db, pilot_id), { ...given, agentId: writer.agentId })
        return { detail: `${rail} ${tier}, as quoted`, evidence_id: quote_id }
      },
      auth_validation: async () => {
        if (asked.denied !== undefined) throw new DomainError(asked.denied)
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
        const held = await findCredential(db, writer.credentialId)
        const key = held === undefined ? { rails: [], scopes: [] } : factsOf(held)
        const granted = grantScope(rail, asked.tool_scope, key)
        const named = [...granted.rails, ...granted.scopes].join(', ')
        return { detail: `the key grants ${named}`, evidence_id: writer.credentialId }
      },
      payload_validation: async () => {
        await uploadChecks.assertInput({ owner: writer.agentId, rail, tier, input })
        return { detail: 'the rail reads the input', evidence_id: digestOf(input) }
      },
    })
  }

  /** Stores the pilot with its run and its chain, in the transaction of the run. */
  async #activate(tx: Tx, call: Call, before: readonly ChainStep[], run: Activated) {
    const { agentId: agent_id } = call.writer
    const pilot_id = call.asked.request.pilot_id ?? pilotIdOf(call.callId)
    if (call.asked.request.pilot_id === undefined) await this.#insert(tx, call, pilot_id, run)
    else assertBegins(await requireLockedPilot(tx, pilot_id), { ...call.given, agentId: agent_id })
    await beginPilot(tx, { pilot_id, agent_id }, run)
    await insertActivation(tx, activated(call, before, { ...run, pilot_id }))
  }

  async #insert(tx: Tx, { writer, given, asked, callId }: Call, pilot_id: string, run: Activated) {
    const { rail, tier, customer_account } = given
    const agent = await findAgent(tx, writer.agentId)
    await insertPilot(tx, {
      pilot_id,
      source: 'controlled',
      rail,
      tier,
      total_usd: priceOf(railOf(rail), tier).total_usd,
      client: JSON.stringify({
        name: agent?.name ?? writer.agentId,
        contact: agent?.contact.email ?? null,
        account_id: null,
        customer_account,
      }),
      objective: asked.request.objective,
      agent_id: writer.agentId,
      work_order_id: (await findOrderOf(tx, run.task_id)) ?? null,
      status_token_sha256: secretSha256(await this.deps.tokens.statusToken('pt', callId)),
    })
  }

  async #refused(call: Call, chain: ChainStep[], refusal: Refusal): Promise<DomainError> {
    const named = { call: call.callId, chain }
    const audit_event_id = `aud_${digestOf({ refused: named })}`
    await insertActivation(this.deps.db, {
      ...rowOf(call, chain),
      activation_id: `av_${digestOf({ refused: named })}`,
      audit_event_id,
      failed_step: chain.at(-1)?.step ?? null,
      code: refusal.code,
    })
    return new DomainError({ ...refusal, extra: { ...refusal.extra, chain, audit_event_id } })
  }

  async #view(tx: Tx, row: PilotRunRow, task: TaskRow) {
    const { run, audit_event_id } = await boundView(this.deps, tx, row, task)
    const pilot = await pilotView(tx, await requirePilot(tx, row.pilot_id))
    return { ...(await activationOf(tx, row.pilot_id)), pilot, run, audit_event_id }
  }
}

const findRun = (tx: Tx, task_id: string) => findPilotRun(tx, { task_id })
const noSteps = { chain: [], refusal: null }
const noControlledPilot = () => refuse('not_found', { detail: 'no such controlled pilot' })

/** 404 for the pilot of another; 409 for one of another rail or tier, or that no run may begin. */
function assertBegins(
  pilot: PilotRow,
  { agentId, rail, tier }: { agentId: string; rail: RailKey; tier: Tier },
): void {
  assertOwn(pilot, { agentId })
  if (rail !== pilot.rail || tier !== pilot.tier)
    throw refuse('quote_mismatch', { detail: `the pilot is for ${pilot.rail} ${pilot.tier}` })
  assertActivated(pilot)
}

type Activated = Omit<PilotRunRow, 'pilot_id' | 'started_at'>

/** A whole chain: the transaction that stores it also stores the run and the audit event. */
function activated(
  call: Call,
  before: readonly ChainStep[],
  run: Activated & { pilot_id: string },
) {
  const { task_id, audit_event_id, pilot_id } = run
  const activation_id = `av_${digestOf({ activated: task_id })}`
  const written = [
    ['runtime_write', 'task, order, contract and run are stored', runIdOf(task_id)],
    ['audit_event', 'the write gate admitted the write', audit_event_id],
    ['controlled_pilot', 'the pilot waits for its payment and its review', pilot_id],
  ] as const
  const steps = written.map(([step, detail, evidence_id]) => ({
    step,
    ok: true,
    detail,
    evidence_id,
  }))
  const chain = [...before, ...steps]
  if (chain.length !== activationSteps.length) throw new Error(`${task_id} has no whole chain`)
  return { ...rowOf(call, chain), activation_id, audit_event_id, pilot_id }
}

const rowOf = ({ writer, given, asked }: Call, chain: readonly ChainStep[]) => ({
  rail: given.rail,
  agent_id: writer.agentId,
  credential_id: writer.credentialId,
  objective: asked.request.objective,
  tool_scope: asked.tool_scope,
  chain,
})
