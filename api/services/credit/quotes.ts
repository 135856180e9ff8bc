import { refuse } from '#domain/core/errors.ts'
import {
  CURRENCY,
  type PaidSurface,
  PRICING_MODEL,
  paidSurfaces,
  priceCard,
  type Sold,
  takenBy,
} from '#domain/credit/pricing.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import type { Rail, RailKey, Tier } from '#domain/rails/rail.ts'
import { refuseTaskEvent } from '#domain/tasks/refused-event.ts'
import { claimQuote, issueQuote, type QuoteClaimer } from '../../../activities/credit/quotes.ts'
import { secretSha256, taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { findQuote, type QuoteRow } from '../../../activities/store/credit/quotes.ts'
import { pausedRails } from '../../../activities/store/operators/controls.ts'
import { type Tx, transaction, tryOut } from '../../../activities/store/postgres/db.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import { findTask, requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { listOrderedTasks } from '../../../activities/store/work-orders/work-orders.ts'
import { claimCredit } from '../../../activities/tasks/credit.ts'
import type { PaymentDeps } from './deps.ts'
import { linesOf, quoteView } from './views.ts'

type Priced = Rail & { prices: NonNullable<Sold['prices']> }

const isPriced = (rail: Rail): rail is Priced => rail.prices !== null

/** The two lists of the document, and all that is sold. */
const onSurface = {
  agent: ({ takes }: Rail) => takes.paidAgentUse,
  movement_fee: ({ takes }: Rail) => takes.pricingModelV2,
  all: () => true,
}
type PriceSurface = keyof typeof onSurface

/** Where a run of the rail is paid for; nowhere what is free. */
function paidSurfacesOf({ prices, takes }: Priced): PaidSurface[] {
  if (prices.pro === 0) return []
  return paidSurfaces.filter((surface) => takes.paidAgentUse || takenBy[surface] === 'priced')
}

/** The movement fee schedule shows what is paid in all; the other lists show bases, and the totals as a member. */
function priced(rail: Priced, surface: PriceSurface, isPaused: boolean) {
  const card = priceCard(rail)
  return {
    rail: rail.key,
    status: isPaused ? ('paused' as const) : statusOf(rail),
    ...card,
    ...(surface === 'movement_fee' ? card.totals : {}),
    paid_surfaces: paidSurfacesOf(rail),
    tiers: { ...rail.tiers },
  }
}

const feeRule = '8 % of the tier price, rounded to whole usd, on standard and pro; none on entry'

function statusOf({ prices, takes }: Priced): 'free' | 'active' | 'offered' {
  if (prices.pro === 0) return 'free'
  return takes.pricingModelV2 ? 'active' : 'offered'
}

type PricesAsked = { rail?: RailKey | undefined; surface: PriceSurface }

/** Both price tables, computed from what the rails declare and from their switches; whole usd. */
function listPrices({ rail, surface }: PricesAsked, paused: ReadonlySet<string>) {
  const listed = rails.filter(
    (one) => onSurface[surface](one) && (rail === undefined || one.key === rail),
  )
  return {
    currency: CURRENCY,
    // The document names a model for the movement fee schedule only.
    pricing_model: surface === 'agent' ? null : PRICING_MODEL,
    rails: listed.filter(isPriced).map((one) => priced(one, surface, paused.has(one.key))),
    fee_rule: surface === 'movement_fee' ? `included: ${feeRule}` : feeRule,
    quote_how:
      'Ask for a quote before a payment reference or a run: only a quote fixes a price, for 24 hours.',
  }
}

/** What a rail is sold as; 400 `unsupported_request` where agents cannot buy it by themselves. */
function soldToAgents(key: RailKey): Sold {
  const rail = railOf(key)
  if (rail.takes.paidAgentUse) return rail
  const bought = rails.flatMap((one) => (one.takes.paidAgentUse ? one.key : []))
  const next =
    rail.prices === null
      ? ''
      : ` POST /api/agents/quote sells a run of ${key}; it begins with POST /api/agents/preflight.`
  throw refuse('unsupported_request', {
    detail: `${key} is not sold here`,
    next_action: `Use one of ${bought.join(', ')}.${next}`,
  })
}

/** The input of the quoted run, which is read before a price is given and is not kept. */
type DryRead = { input?: Record<string, unknown> | undefined }

/** `agentId` owns the quote; without one its owner is the first who presents its token. */
export type QuoteAsked = {
  agentId?: string | undefined
  rail: RailKey
  tier: Tier
  units?: number
  agentUse?: boolean
} & DryRead
type TaskQuoteAsked = { rail: RailKey; tier: Tier; units: number } & DryRead
type OrderQuoteAsked = TaskQuoteAsked & { taskToken?: string | undefined }
type QuoteState = 'used' | 'expired' | 'live'

/** Quotes for agents, tasks and orders; each call is safe to repeat. */
export class QuoteService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  /** Both price tables; whole usd. */
  async listPrices(asked: PricesAsked) {
    return listPrices(asked, await pausedRails(this.deps.db))
  }

  async issue({ rail, agentUse = false, agentId, input, ...asked }: QuoteAsked, callId: string) {
    const sold = agentUse ? soldToAgents(rail) : railOf(rail)
    if (input !== undefined)
      await this.deps.uploadChecks.assertInput({
        owner: agentId ?? null,
        rail,
        tier: asked.tier,
        input,
      })
    const by =
      agentId === undefined
        ? { tokenSha256: secretSha256(await this.deps.tokens.quoteToken(callId)) }
        : { owner: agentId }
    const answer = { callId, subject: `quote:${callId}`, status: 200 }
    return answerOnce(this.deps, answer, async (tx) => {
      const quote = await issueQuote(this.deps, tx, { ...asked, by, rail: sold })
      return { quote: quoteView(quote), lines: linesOf(quote) }
    })
  }

  /** Adds the quote's token, which is derived and never stored, to the stored answer. */
  async withToken(answer: Record<string, unknown>, callId: string) {
    return { ...answer, quote_token: await this.deps.tokens.quoteToken(callId) }
  }

  /** Whether this agent or task may claim the quote; 404, 403 `not_owner`. */
  async assertClaimable(quoteId: string, claimer: QuoteClaimer): Promise<void> {
    await tryOut(this.deps.db, (tx) => claimQuote(tx, quoteId, claimer))
  }

  /** The price of a quote in whole usd; 404. */
  async totalUsd(quoteId: string): Promise<number> {
    return (await this.read(quoteId)).quote.total_usd
  }

  async read(quoteId: string) {
    const quote = await findQuote(this.deps.db, quoteId)
    if (quote === undefined)
      throw refuse('not_found', { detail: 'no such quote', next_action: 'Ask for a quote first.' })
    return { quote: quoteView(quote), lines: linesOf(quote), state: stateOf(quote) }
  }

  /**
   * A quote for a trusted task, which reserves its credit; a repeat returns the quote that the task has. 409 `wrong_state`,
   * `quote_mismatch`.
   */
  async forTask(taskId: string, { input, ...asked }: TaskQuoteAsked) {
    const { db, advanceTask, uploadChecks } = this.deps
    if (input !== undefined) {
      const owner = (await findTask(db, taskId))?.agent_id ?? null
      const { rail, tier } = asked
      await uploadChecks.assertInput({ owner, rail, tier, input })
    }
    const quote = await transaction(db, async (tx) => {
      const task = await requireTask(tx, taskId)
      const known = await quoteOfTask(tx, task, asked)
      if (known !== undefined) return known
      if (task.state !== 'trusted') throw refuseTaskEvent(task.state, 'quote_issued')
      const rail = railOf(asked.rail)
      const discovery = rail.prices === null && task.usage === 'synthetic'
      const by = { owner: task.agent_id ?? taskId }
      const issued = await issueQuote(this.deps, tx, { ...asked, by, rail, taskId, discovery })
      await claimCredit(this.deps, tx, { task, quoteId: issued.quote_id })
      return issued
    })
    await advanceTask(taskId)
    return { quote: quoteView(quote), lines: linesOf(quote) }
  }

  /** A quote for the next run of an order that has none, or for the run of the given task token. 409 `wrong_state`. */
  async forOrder(workOrderId: string, { taskToken, ...asked }: OrderQuoteAsked) {
    const tasks = await listOrderedTasks(this.deps.db, workOrderId)
    const named = taskToken === undefined ? undefined : taskIdOf(taskToken)
    const fitting = tasks.filter(({ task_id, rail, tier }) =>
      named === undefined ? rail === asked.rail && tier === asked.tier : task_id === named,
    )
    const next = fitting.find(({ state }) => state === 'trusted') ?? fitting[0]
    if (next !== undefined) return this.forTask(next.task_id, asked)
    throw refuse('quote_mismatch', {
      detail: 'the order has no such run',
      next_action: 'Name the rail and tier of one of its runs.',
    })
  }
}

function stateOf({ used, expired }: QuoteRow): QuoteState {
  if (used) return 'used'
  return expired ? 'expired' : 'live'
}

/** The quote that was issued for the task, where it is for the same run and still valid. */
async function quoteOfTask(
  tx: Tx,
  { task_id }: TaskRow,
  { rail, tier, units }: Omit<TaskQuoteAsked, 'input'>,
): Promise<QuoteRow | undefined> {
  const credit = await findTaskCredit(tx, task_id)
  const quote = credit && (await findQuote(tx, credit.quote_id))
  if (quote === undefined || quote.expired || quote.used || quote.task_id !== task_id)
    return undefined
  return quote.rail === rail && quote.tier === tier && quote.units === units ? quote : undefined
}
