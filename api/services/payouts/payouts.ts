import type { Kysely } from 'kysely'
import type { Environment } from '#domain/core/environment.ts'
import { DomainError, errorCodes, refuse } from '#domain/core/errors.ts'
import { payoutId as payoutIdOf } from '#domain/core/ids.ts'
import { type CreateInput, moneyMoved, payoutTerms } from '#domain/payouts/payout.ts'
import {
  assertExecutable,
  deadTransfer,
  ownPayout,
  unknownPayout,
} from '../../../activities/payout/rules.ts'
import {
  type PayoutAnswerBody,
  type PayoutRecord,
  type PayoutRow,
  payoutAnswer,
  readPayout,
} from '../../../activities/store/payouts/payouts.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { PayoutGateway } from '../../../temporal/payouts.ts'
import type { StepAnswer } from '../../../workflows/payout/activities.ts'
import { acceptTerms } from './accepted-terms.ts'

export type PayoutServiceDeps = {
  gateway: PayoutGateway
  db: Kysely<Database>
  changes: Changes
  environment: Environment
  executeWaitMs: number
  executeLifeSecondsMin: number
  /** Addresses that are never paid: zero, the asset, and our own. Lowercase. */
  refusedRecipients: ReadonlySet<string>
  chainUp: () => Promise<boolean>
  /** Refuses an execute that the minimum balance or today's canary forbids; undefined where neither is configured. */
  reservationGate: ((payout: PayoutRow) => Promise<void>) | undefined
}

/** The operations of payouts: each step is sent to the payout's workflow, and each answer is read from its rows. */
export function openPayouts(deps: PayoutServiceDeps) {
  const { gateway, changes } = deps
  const answer = (record: PayoutRecord) => payoutAnswer(record, deps.environment)
  const readOwn = (creator: string, payoutId: string) => ownRecord(deps, creator, payoutId)
  const labelOf = (creator: string, payoutId: string) => async () =>
    (await readOwn(creator, payoutId)).payout

  return {
    async create(creator: string, input: CreateInput, callId: string): Promise<void> {
      const terms = acceptTerms(payoutTerms(input), deps.refusedRecipients)
      const payoutId = payoutIdOf(creator, input.idempotency_key)
      await runStep(deps, payoutId, 'no', () =>
        gateway.create({ payoutId, callId }, { creator, ...terms }),
      )
    },

    async authorize(creator: string, payoutId: string, callId: string): Promise<void> {
      await runStep(deps, payoutId, 'no', () =>
        gateway.authorize({ payoutId, callId }, labelOf(creator, payoutId)),
      )
    },

    async checkExecutable(creator: string, payoutId: string, paid: boolean): Promise<void> {
      const up = await deps.chainUp()
      if (!paid && deps.reservationGate === undefined && up) return
      const record = await readOwn(creator, payoutId)
      if (record.transfer?.status === 'dead') throw deadTransfer(record)
      if (record.transfer !== undefined) return
      await assertExecutable(deps.db, record.payout, deps.executeLifeSecondsMin)
      if (!up) throw chainDown()
      await deps.reservationGate?.(record.payout)
    },

    /** The payout while its transfer is under way; undefined once it is executed and the call is answered. */
    async execute(
      creator: string,
      payoutId: string,
      { callId, leads }: { callId: string; leads: boolean },
    ): Promise<PayoutAnswerBody | undefined> {
      const until = performance.now() + deps.executeWaitMs
      // A call that joins another finds its transfer reserved, and sends nothing.
      let record = leads ? undefined : await readOwn(creator, payoutId)
      if (record?.transfer === undefined) {
        await runStep(deps, payoutId, 'unknown', () =>
          gateway.execute({ payoutId, callId }, labelOf(creator, payoutId)),
        )
        await changes.wait(payoutId, until - performance.now())
        record = await readOwn(creator, payoutId)
      }
      for (;;) {
        if (record.transfer?.status === 'dead') throw deadTransfer(record)
        if (record.payout.state === 'executed') return undefined
        const isStopped = record.transfer?.exception != null
        if (isStopped || performance.now() >= until) return answer(record)
        await changes.wait(payoutId, until - performance.now())
        record = await readOwn(creator, payoutId)
      }
    },

    async read(
      creator: string,
      by: { payout_id: string } | { idempotency_key: string },
    ): Promise<PayoutAnswerBody> {
      const payoutId = 'payout_id' in by ? by.payout_id : payoutIdOf(creator, by.idempotency_key)
      return answer(await readOwn(creator, payoutId))
    },

    async next(creator: string, read: PayoutAnswerBody, ms: number): Promise<PayoutAnswerBody> {
      const { payout_id: payoutId } = read.payout
      const until = performance.now() + ms
      let current = read
      for (;;) {
        const left = until - performance.now()
        if (left <= 0 || isClosed(current) || visibleState(current) !== visibleState(read))
          return current
        await changes.wait(payoutId, left)
        current = answer(await readOwn(creator, payoutId))
      }
    },
  }
}

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

async function ownRecord(
  { db }: PayoutServiceDeps,
  creator: string,
  payoutId: string,
): Promise<PayoutRecord> {
  const record = await readPayout(db, payoutId)
  ownPayout(record?.payout, creator)
  if (record === undefined) throw unknownPayout()
  return record
}

/**
 * Throws the refusal of a step as the step gave it. Where the answer is not known, the error says whether money has moved: without a
 * stored transfer, an execute that was sent may still reserve one.
 */
async function runStep(
  { db }: PayoutServiceDeps,
  payoutId: string,
  withoutTransfer: 'no' | 'unknown',
  send: () => Promise<StepAnswer>,
): Promise<void> {
  const answer = await send().catch(async (error) => {
    if (!(error instanceof DomainError) || errorCodes[error.refusal.code].status < 500) throw error
    const transfer = (await readPayout(db, payoutId).catch(() => undefined))?.transfer
    const money_moved = transfer === undefined ? withoutTransfer : moneyMoved(transfer)
    throw new DomainError({ ...error.refusal, money_moved })
  })
  if (!answer.ok) throw new DomainError(answer.refusal)
}

const chainDown = () =>
  refuse('unavailable', {
    detail: 'the chain does not answer; nothing was reserved',
    next_action: 'Repeat the call later.',
    retry_after_ms: 2000,
  })
