import { refuse } from '#domain/core/errors.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { isCurrent, type RailKey } from '#domain/rails/rail.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { issueQuote } from '../../../activities/credit/quotes.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { countAtSteps, RUNS_COUNTED_MAX } from '../../../activities/store/runs/agent-runs.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { Writer } from '../authority/write-gate.ts'
import type { StartAsked } from './admission.ts'
import type { RunStartService, Sale } from './start.ts'
import type { RunViewDeps } from './views.ts'

type Deps = Pick<TaskDeps, 'db' | 'issuer'> &
  Pick<RunViewDeps, 'tokens'> & { starts: Pick<RunStartService, 'start'> }
/** A run as its agent starts it; one of a free rail has neither a quote nor funding. */
export type LoopAsked = Omit<StartAsked, 'quote_id'> & { quote_id?: string | undefined }

/** An operation that starts runs of the loop, and what it stores with each. */
export type LoopOperation = Omit<Sale, 'isSold'>
const loopStart: LoopOperation = { id: 'loop-start', path: '/api/controlled-operating-loops' }

/** Runs of the controlled loop, of every rail that it has today. */
export class LoopService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** The pattern, its rails, and the runs that are at each step now. */
  async describe(rail: RailKey | undefined) {
    return {
      pattern: [...loopSteps],
      current_rails: rails.filter(isCurrent).map(({ key }) => key),
      future_rail: rails.filter((one) => !isCurrent(one)).map(({ key }) => `${key}_discovery`)[0],
      live: await countAtSteps(this.deps.db, rail),
      counted_max: RUNS_COUNTED_MAX,
    }
  }

  /**
   * Starts a run, or continues one, as `RunStartService` does. Throws 403 `rail_not_allowed` for a future rail, 400
   * `invalid_request` for a paid run without a quote and a free one with a quote or funding.
   */
  async start(writer: Writer, asked: LoopAsked, callId: string, operation = loopStart) {
    const sale: Sale = { ...operation, isSold: isCurrent }
    if (!isCurrent(railOf(asked.rail)))
      throw refuse('rail_not_allowed', {
        detail: `${asked.rail} is a future rail of the loop`,
        next_action: `Take one of current_rails of GET ${loopStart.path}.`,
      })
    const quote_id = await this.#quoteFor(writer, asked, callId)
    return this.deps.starts.start(writer, { ...asked, quote_id }, callId, sale)
  }

  /** The quote of the caller, or the quote of zero that a free run of this call has; a repeat finds the same. */
  async #quoteFor({ agentId }: Writer, asked: LoopAsked, callId: string): Promise<string> {
    const { quote_id, rail: key, tier } = asked
    const rail = railOf(key)
    const isFree = rail.prices?.[tier] === 0
    const given = [quote_id, asked.payment_reference_id, asked.entitlement_id, asked.wallet_id]
    if (isFree && [...given, asked.ap2_mandate_reference].some((one) => one !== undefined))
      throw invalid(`a run of ${key} is free: it takes no quote and no funding`)
    if (quote_id !== undefined) return quote_id
    if (!isFree) throw invalid(`a run of ${key} needs a quote`)
    const { db, tokens } = this.deps
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    return transaction(db, async (tx) => {
      const known = await findTaskCredit(tx, taskId)
      return (
        known?.quote_id ??
        (await issueQuote(this.deps, tx, { by: { owner: agentId }, rail, tier })).quote_id
      )
    })
  }
}

const invalid = (message: string) =>
  refuse('invalid_request', { detail: message, errors: [{ pointer: '/quote_id', message }] })
