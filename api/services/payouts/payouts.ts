import type { Kysely } from 'kysely'
import type { Environment } from '#domain/core/environment.ts'
import { errorCodes } from '#domain/core/error-codes.ts'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import { payoutId as payoutIdOf } from '#domain/core/ids.ts'
import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import {
  type CreateInput,
  moneyMoved,
  type PayoutTerms,
  payoutTerms,
} from '#domain/payouts/payout.ts'
import {
  assertExecutable,
  deadTransfer,
  ownPayout,
  unknownPayout,
} from '../../../activities/payouts/rules.ts'
import { findCall, grantReleased } from '../../../activities/store/calls/calls.ts'
import {
  asCreated,
  type PayoutAnswerBody,
  type PayoutRecord,
  type PayoutRow,
  payoutAnswer,
  readPayout,
  requirePayout,
} from '../../../activities/store/payouts/payouts.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { PayoutGateway } from '../../../temporal/payouts.ts'
import type { StepAnswer } from '../../../workflows/payouts/activities.ts'

type Terms = Omit<PayoutTerms, 'asset'>

/** The terms, unless they can never be paid: 400 for an amount of zero, 422 over the cap or to an address that is never paid. */
function acceptTerms(terms: Terms, refusedRecipients: ReadonlySet<string>): Terms {
  const atomic = BigInt(terms.amount_atomic)
  if (atomic === 0n)
    throw refuse('invalid_request', {
      detail: 'the amount is zero',
      next_action: 'Send an amount of at least 0.000001.',
      errors: [{ pointer: '/amount_usdc', message: 'more than 0' }],
    })
  if (atomic > limits.maxPayoutAtomic) {
    const most = formatUsdc(limits.maxPayoutAtomic)
    throw refuse('payout_cap_exceeded', {
      detail: `amount ${atomic} is over max_payout_atomic ${limits.maxPayoutAtomic}`,
      errors: [{ pointer: '/amount_usdc', message: `at most ${most}` }],
    })
  }
  if (refusedRecipients.has(terms.recipient)) {
    const message = 'not the zero address, the asset or an address of this service'
    throw refuse('recipient_refused', {
      detail: 'this address is never paid',
      errors: [{ pointer: '/recipient', message }],
    })
  }
  return terms
}

type PayoutServiceDeps = {
  gateway: PayoutGateway
  db: Kysely<Database>
  changes: Changes
  environment: Environment
  executeWaitMs: number
  executeLifeSecondsMin: number
  /** Addresses that are never paid: zero, the asset, and our own. Lowercase. */
  refusedRecipients: ReadonlySet<string>
  chainUp: () => Promise<boolean>
  /** Tries once to make the workflow read its row, and never fails. */
  wake: (payoutId: string) => Promise<void>
  /** Refuses an execute that the minimum balance or today's canary forbids; undefined where neither is configured. */
  reservationGate: ((payout: PayoutRow) => Promise<void>) | undefined
}

/** The operations of payouts: each step is sent to the payout's workflow, and each answer is read from its rows. */
export class PayoutService {
  private readonly deps: PayoutServiceDeps

  constructor(deps: PayoutServiceDeps) {
    this.deps = deps
  }

  /** Each command is idempotent, and throws only DomainError. */
  async create(creator: string, input: CreateInput, callId: string): Promise<void> {
    const { gateway } = this.deps
    const terms = acceptTerms(payoutTerms(input), this.deps.refusedRecipients)
    const payoutId = payoutIdOf(creator, input.idempotency_key)
    await runStep(this.deps, { payoutId, callId, withoutTransfer: 'no' }, () =>
      gateway.create({ payoutId, callId }, { creator, ...terms }),
    )
  }

  /** The answer of a create, which is that of its payout before any later step. */
  async createdAnswer({ payout_id }: { payout_id?: unknown }): Promise<PayoutAnswerBody> {
    const record = await requirePayout(this.deps.db, String(payout_id))
    return payoutAnswer(asCreated(record), this.deps.environment)
  }

  async authorize(creator: string, payoutId: string, callId: string): Promise<void> {
    const { gateway } = this.deps
    await runStep(this.deps, { payoutId, callId, withoutTransfer: 'no' }, () =>
      gateway.authorize({ payoutId, callId }, this.#labelOf(creator, payoutId)),
    )
  }

  /** Refuses a new execute while the chain is down; before a fee is settled, also what the execute would refuse. */
  async checkExecutable(creator: string, payoutId: string, paid: boolean): Promise<void> {
    const up = await this.deps.chainUp()
    if (!paid && this.deps.reservationGate === undefined && up) return
    const record = await this.#readOwn(creator, payoutId)
    if (record.transfer?.status === 'dead') throw deadTransfer(record)
    if (record.transfer !== undefined) return
    await assertExecutable(this.deps.db, record.payout, this.deps.executeLifeSecondsMin)
    if (!up) throw chainDown()
    await this.deps.reservationGate?.(record.payout)
  }

  /** The payout while its transfer is under way; undefined once it is executed and the call is answered. */
  async execute(
    creator: string,
    payoutId: string,
    { callId, leads }: { callId: string; leads: boolean },
  ): Promise<PayoutAnswerBody | undefined> {
    const { gateway, changes } = this.deps
    const until = performance.now() + this.deps.executeWaitMs
    // A call that joins another finds its transfer reserved, and sends nothing; one that stands still is woken.
    let record = leads ? undefined : await this.#readOwn(creator, payoutId)
    if (standsStill(record?.transfer)) await this.deps.wake(payoutId)
    if (record?.transfer === undefined) {
      await runStep(this.deps, { payoutId, callId, withoutTransfer: 'unknown' }, () =>
        gateway.execute({ payoutId, callId }, this.#labelOf(creator, payoutId)),
      )
      await changes.wait(payoutId, until - performance.now())
      record = await this.#readOwn(creator, payoutId)
    }
    for (;;) {
      if (record.transfer?.status === 'dead') throw deadTransfer(record)
      if (record.payout.state === 'executed') return undefined
      const isStopped = record.transfer?.exception != null
      if (isStopped || performance.now() >= until) return this.#answer(record)
      await changes.wait(payoutId, until - performance.now())
      record = await this.#readOwn(creator, payoutId)
    }
  }

  async read(
    creator: string,
    by: { payout_id: string } | { idempotency_key: string },
  ): Promise<PayoutAnswerBody> {
    const payoutId = 'payout_id' in by ? by.payout_id : payoutIdOf(creator, by.idempotency_key)
    return this.#answer(await this.#readOwn(creator, payoutId))
  }

  /** The payout once it differs from `read`, or as it is when the time is up. */
  async next(creator: string, read: PayoutAnswerBody, ms: number): Promise<PayoutAnswerBody> {
    const { changes } = this.deps
    const { payout_id: payoutId } = read.payout
    const until = performance.now() + ms
    let current = read
    for (;;) {
      const left = until - performance.now()
      if (left <= 0 || isClosed(current) || visibleState(current) !== visibleState(read))
        return current
      await changes.wait(payoutId, left)
      current = this.#answer(await this.#readOwn(creator, payoutId))
    }
  }

  async #readOwn(creator: string, payoutId: string): Promise<PayoutRecord> {
    const record = await readPayout(this.deps.db, payoutId)
    ownPayout(record?.payout, creator)
    if (record === undefined) throw unknownPayout()
    return record
  }

  #labelOf(creator: string, payoutId: string): () => Promise<PayoutRow> {
    return async () => (await this.#readOwn(creator, payoutId)).payout
  }

  #answer(record: PayoutRecord): PayoutAnswerBody {
    return payoutAnswer(record, this.deps.environment, Date.now())
  }
}

/** After it, a transfer that is not included may be one that its workflow does not know. */
const JOINED_AFTER_MS = 2_000

const standsStill = (transfer: PayoutRecord['transfer']): boolean =>
  transfer !== undefined &&
  ['reserved', 'signed', 'submitted'].includes(transfer.status) &&
  Date.now() - transfer.reserved_at.getTime() > JOINED_AFTER_MS

const isClosed = ({ payout }: PayoutAnswerBody): boolean =>
  ['final', 'dead'].includes(payout.transfer.status)

/** What counts as a change for a caller that waits for one; confirmations do not. */
const visibleState = ({ payout, receipts }: PayoutAnswerBody): string =>
  JSON.stringify([
    payout.state,
    payout.transfer.status,
    payout.transfer.transaction_hash,
    payout.next_action,
    receipts.length,
  ])

type Step = { payoutId: string; callId: string; withoutTransfer: 'no' | 'unknown' }

/**
 * Throws the refusal of a step as the step stored it. Where the answer is not known, the error says whether money has moved: without a
 * stored transfer, an execute that was sent may still reserve one.
 */
async function runStep(
  { db }: PayoutServiceDeps,
  { payoutId, callId, withoutTransfer }: Step,
  send: () => Promise<StepAnswer>,
): Promise<void> {
  const { ok } = await send().catch(withMoneyMoved)
  if (ok) return
  const call = await findCall(db, callId)
  if (call?.grant_state === 'released') throw grantReleased()
  if (call?.refusal != null) throw new DomainError(call.refusal as Refusal)
  await withMoneyMoved(unexplained())

  async function withMoneyMoved(error: unknown): Promise<never> {
    if (!(error instanceof DomainError) || errorCodes[error.refusal.code].status < 500) throw error
    const transfer = (await readPayout(db, payoutId).catch(() => undefined))?.transfer
    const money_moved = transfer === undefined ? withoutTransfer : moneyMoved(transfer)
    throw new DomainError({ ...error.refusal, money_moved })
  }
}

const unexplained = () =>
  refuse('unavailable', {
    detail: 'the step was refused, and its call does not say why',
    next_action: 'Repeat the call with the same idempotency key.',
    retry_after_ms: 1000,
  })

const chainDown = () =>
  refuse('unavailable', {
    detail: 'the chain does not answer; nothing was reserved',
    retry_after_ms: 2000,
  })
