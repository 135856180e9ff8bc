import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client'
import { TypedSearchAttributes } from '@temporalio/common'
import { assertExecutable, deadTransfer, ownPayout, unknownPayout } from '../activities/payout-rules.ts'
import {
  type PayoutAnswerBody,
  type PayoutRecord,
  type PayoutRow,
  payoutAnswer,
  readPayout,
} from '../activities/store/payouts.ts'
import { DomainError, errorCodes, refuse } from '../workflows/domain/errors.ts'
import { payoutId as payoutIdOf } from '../workflows/domain/ids.ts'
import { limits } from '../workflows/domain/limits.ts'
import { formatUsdc } from '../workflows/domain/money.ts'
import { type CreateInput, moneyMoved, payoutTerms, type Usage } from '../workflows/domain/payout.ts'
import { payoutSummary } from '../workflows/payout/details.ts'
import { authorizeUpdate, createUpdate, executeUpdate, wakeSignal } from '../workflows/payout/messages.ts'
import type { StepAnswer, StepInput } from '../workflows/payout/ports.ts'
import type { payout as payoutWorkflow } from '../workflows/payout/workflow.ts'
import { payoutAttributes, searchAttributes } from '../workflows/search-attributes.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { type Crowd, durableStep, type UpdateDeps } from './updates.ts'

export type PayoutGatewayDeps = UpdateDeps & {
  environment: 'local' | 'live'
  executeWaitMs: number
  executeLifeSecondsMin: number
  /** Addresses that may never be paid: zero, the asset, and our own. Lowercase. */
  refusedRecipients: ReadonlySet<string>
  chainUp: () => Promise<boolean>
  /** Refuses where the balance floor or today's canary stands in the way; undefined where there is neither. */
  reservationGate: ((payout: PayoutRow) => Promise<void>) | undefined
}

type Known = { creator: string; recipient: string; amount_atomic: string; usage: Usage }

/** Speaks to payout workflows; every act is idempotent, waits for its result, and throws only DomainError. */
export function createPayoutGateway(deps: PayoutGatewayDeps) {
  return {
    async create(creator: string, input: CreateInput, callId: string): Promise<void> {
      const known = { creator, ...acceptedTerms(deps, input) }
      const payoutId = payoutIdOf(creator, input.idempotency_key)
      await step(deps, payoutId, (updateId) => startWith(deps, createUpdate, { payoutId, callId }, known, updateId))
    },

    async authorize(creator: string, payoutId: string, callId: string): Promise<void> {
      const known = async () => (await own(deps, creator, payoutId)).payout
      const send = (updateId: string) => sendTo(deps, authorizeUpdate, { payoutId, callId }, known, updateId)
      // Calls under several keys may ask for this at once, which one call with its lease never does.
      await step(deps, payoutId, send, { crowd: { places: limits.updatesInFlightMax - 2 } })
    },

    async checkExecutable(creator: string, payoutId: string, paid: boolean): Promise<void> {
      const up = await deps.chainUp()
      if (!paid && deps.reservationGate === undefined && up) return
      const record = await own(deps, creator, payoutId)
      if (record.transfer?.status === 'dead') throw deadTransfer(record)
      if (record.transfer !== undefined) return
      await assertExecutable(deps.db, record.payout, deps.executeLifeSecondsMin)
      if (!up)
        throw refuse('unavailable', 'the chain does not answer; nothing was reserved', 'Repeat the call later.', {
          retry_after_ms: 2000,
        })
      await deps.reservationGate?.(record.payout)
    },

    /** The payout while it is under way; undefined once it is executed and the call is answered. */
    async execute(
      creator: string,
      payoutId: string,
      { callId, leads }: { callId: string; leads: boolean },
    ): Promise<PayoutAnswerBody | undefined> {
      const until = performance.now() + deps.executeWaitMs
      // Who joins a call finds its transfer reserved, and sends nothing.
      let record = leads ? undefined : await own(deps, creator, payoutId)
      if (record?.transfer === undefined) {
        const known = async () => (await own(deps, creator, payoutId)).payout
        const send = (updateId: string) => sendTo(deps, executeUpdate, { payoutId, callId }, known, updateId)
        await step(deps, payoutId, send, { moves: true })
        await deps.changes.wait(payoutId, until - performance.now())
        record = await own(deps, creator, payoutId)
      }
      for (;;) {
        if (record.transfer?.status === 'dead') throw deadTransfer(record)
        if (record.payout.state === 'executed') return undefined
        if (record.transfer?.exception != null || performance.now() >= until)
          return payoutAnswer(record, deps.environment)
        await deps.changes.wait(payoutId, until - performance.now())
        record = await own(deps, creator, payoutId)
      }
    },

    async read(creator: string, by: { payout_id: string } | { idempotency_key: string }): Promise<PayoutAnswerBody> {
      const payoutId = 'payout_id' in by ? by.payout_id : payoutIdOf(creator, by.idempotency_key)
      return payoutAnswer(await own(deps, creator, payoutId), deps.environment)
    },

    async next(creator: string, read: PayoutAnswerBody, ms: number): Promise<PayoutAnswerBody> {
      const { payout_id: payoutId } = read.payout
      const until = performance.now() + ms
      for (let now = read; ; now = payoutAnswer(await own(deps, creator, payoutId), deps.environment)) {
        const left = until - performance.now()
        if (left <= 0 || isOver(now) || standingOf(now) !== standingOf(read)) return now
        await deps.changes.wait(payoutId, left)
      }
    },
  }
}

const isOver = ({ payout }: PayoutAnswerBody): boolean => ['final', 'dead'].includes(payout.transfer.status)

/** What is a change to who waits for one: confirmations are none. */
const standingOf = ({ payout, receipts }: PayoutAnswerBody): string =>
  JSON.stringify([
    payout.state,
    payout.transfer.status,
    payout.transfer.transaction_hash,
    payout.next_action,
    receipts.length,
  ])

/** Makes the payout's workflow read its row and go on, in a new run where none is open. */
export async function wakePayout(
  client: Client,
  { payout }: { payout: Known & { readonly payout_id: string } },
): Promise<void> {
  await client.workflow.signalWithStart<typeof payoutWorkflow>('payout', {
    ...startOptions(payout.payout_id, payout),
    signal: wakeSignal,
    signalArgs: [],
  })
}

async function own(deps: PayoutGatewayDeps, creator: string, payoutId: string): Promise<PayoutRecord> {
  const record = await readPayout(deps.db, payoutId)
  ownPayout(record?.payout, creator)
  if (record === undefined) throw unknownPayout()
  return record
}

async function step(
  deps: PayoutGatewayDeps,
  payoutId: string,
  send: (updateId: string) => Promise<StepAnswer>,
  { crowd, moves = false }: { crowd?: Crowd; moves?: boolean } = {},
): Promise<void> {
  const result = await durableStep(deps, payoutId, send, crowd).catch((error) => told(deps, payoutId, moves, error))
  if (!result.ok) throw new DomainError(result.refusal)
}

/** A 503 says of the money what is stored; an execute that was sent may still reserve, so until then nobody knows. */
async function told(deps: PayoutGatewayDeps, payoutId: string, moves: boolean, error: unknown): Promise<never> {
  if (!(error instanceof DomainError) || errorCodes[error.refusal.code].status < 500) throw error
  const transfer = (await readPayout(deps.db, payoutId).catch(() => undefined))?.transfer
  const money_moved = moves && transfer === undefined ? 'unknown' : moneyMoved(transfer)
  throw new DomainError({ ...error.refusal, money_moved })
}

/** Sends the step to the payout's run, and starts a run where none is open: that is the dearer call, and seldom needed. */
async function sendTo(
  deps: PayoutGatewayDeps,
  update: typeof authorizeUpdate,
  input: StepInput,
  known: () => Promise<Known>,
  updateId: string,
): Promise<StepAnswer> {
  const handle = deps.client.workflow.getHandle(input.payoutId)
  try {
    return await handle.executeUpdate(update, { args: [input], updateId })
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return startWith(deps, update, input, await known(), updateId)
  }
}

function startWith(
  { client }: PayoutGatewayDeps,
  update: typeof createUpdate,
  input: StepInput,
  known: Known,
  updateId: string,
): Promise<StepAnswer> {
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof payoutWorkflow>('payout', {
    ...startOptions(input.payoutId, known),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  return client.workflow.executeUpdateWithStart(update, { args: [input], updateId, startWorkflowOperation })
}

function startOptions(payoutId: string, known: Known) {
  const summary = {
    amountUsdc: formatUsdc(BigInt(known.amount_atomic)),
    recipient: known.recipient,
    usage: known.usage,
  }
  return {
    workflowId: payoutId,
    taskQueue: PAYOUTS_QUEUE,
    args: [payoutId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: payoutSummary(summary),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.Summary, value: payoutSummary(summary) },
      ...payoutAttributes({
        state: 'created',
        usage: known.usage,
        creator: known.creator,
        parked: null,
        exception: null,
        transfer: 'none',
      }),
    ]),
  }
}

/** The terms of a create, unless they can never be: 400 for nothing, 422 over the cap or to an address that is never paid. */
function acceptedTerms(deps: PayoutGatewayDeps, input: CreateInput): ReturnType<typeof payoutTerms> {
  const terms = payoutTerms(input)
  const atomic = BigInt(terms.amount_atomic)
  if (atomic === 0n) {
    const errors = [{ pointer: '/amount_usdc', message: 'more than 0' }]
    throw refuse('invalid_request', 'the amount is zero', 'Send an amount of at least 0.000001.', { errors })
  }
  if (atomic > limits.maxPayoutAtomic) {
    const errors = [{ pointer: '/amount_usdc', message: `at most ${formatUsdc(limits.maxPayoutAtomic)}` }]
    throw refuse(
      'payout_cap_exceeded',
      `amount ${atomic} is over max_payout_atomic ${limits.maxPayoutAtomic}`,
      'Create a payout of at most 25 USDC.',
      { errors },
    )
  }
  if (deps.refusedRecipients.has(terms.recipient)) {
    const errors = [{ pointer: '/recipient', message: 'not the zero address, the asset or an address of this service' }]
    throw refuse('recipient_refused', 'this address is never paid', 'Name another recipient.', { errors })
  }
  return terms
}
