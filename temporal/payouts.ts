import { type Client, WithStartWorkflowOperation } from '@temporalio/client'
import { TypedSearchAttributes } from '@temporalio/common'
import type { StagedAuthorize } from '../activities/authorization.ts'
import type { StagedCreate } from '../activities/payout.ts'
import { assertExecutable, ownPayout, unknownPayout } from '../activities/payout-rules.ts'
import { findCall } from '../activities/store/calls.ts'
import {
  type PayoutAnswerBody,
  type PayoutRecord,
  type PayoutRow,
  payoutAnswer,
  readPayout,
} from '../activities/store/payouts.ts'
import { stageInput } from '../activities/store/staged-inputs.ts'
import { DomainError, refuse } from '../workflows/domain/errors.ts'
import { payoutId as payoutIdOf } from '../workflows/domain/ids.ts'
import { limits } from '../workflows/domain/limits.ts'
import { formatUsdc, parseUsdc } from '../workflows/domain/money.ts'
import { moneyMoved, type Usage } from '../workflows/domain/payout.ts'
import { payoutSummary } from '../workflows/payout/details.ts'
import { authorizeUpdate, createUpdate, executeUpdate, wakeSignal } from '../workflows/payout/messages.ts'
import type { StepResult } from '../workflows/payout/ports.ts'
import type { payout as payoutWorkflow } from '../workflows/payout/workflow.ts'
import { payoutAttributes } from '../workflows/search-attributes.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { durableStep, type UpdateDeps } from './updates.ts'

export type PayoutGatewayDeps = UpdateDeps & {
  environment: 'local' | 'live'
  executeWaitMs: number
  executeLifeSecondsMin: number
  /** Addresses that may never be paid: zero, the asset, and our own. Lowercase. */
  refusedRecipients: ReadonlySet<string>
  chainUp: () => Promise<boolean>
  /** Refuses where the balance floor or today's canary stands in the way. */
  reservationGate: (payout: PayoutRow) => Promise<void>
}

export type CreateInput = {
  recipient: string
  amount_usdc: string
  idempotency_key: string
  memo: string
  rail_reference: string
  usage: Usage
}
export type AuthorizeInput = Omit<StagedAuthorize, 'creator'>
type Known = { creator: string; recipient: string; amount_atomic: string; usage: Usage }

/** Speaks to payout workflows; every act is idempotent, waits for its result, and throws only DomainError. */
export function createPayoutGateway(deps: PayoutGatewayDeps) {
  return {
    async create(creator: string, input: CreateInput, callId: string): Promise<PayoutAnswerBody> {
      const staged = acceptTerms(deps, creator, input)
      const payoutId = payoutIdOf(creator, input.idempotency_key)
      const digest = await stageInput(deps.db, staged)
      await step(deps, payoutId, staged, createUpdate, { payoutId, callId, staged: digest })
      return storedAnswer(deps, callId, payoutId)
    },

    async authorize(creator: string, input: AuthorizeInput, callId: string): Promise<PayoutAnswerBody> {
      const record = await own(deps, creator, input.payout_id)
      const digest = await stageInput(deps.db, { ...input, creator } satisfies StagedAuthorize)
      await step(deps, input.payout_id, record.payout, authorizeUpdate, {
        payoutId: input.payout_id,
        callId,
        staged: digest,
      })
      return storedAnswer(deps, callId, input.payout_id)
    },

    async checkExecutable(creator: string, payoutId: string): Promise<void> {
      const { payout, transfer, receipts } = await own(deps, creator, payoutId)
      if (transfer?.status === 'dead') throw deadTransfer({ payout, transfer, receipts })
      if (transfer !== undefined) return
      await assertExecutable(deps.db, payout, deps.executeLifeSecondsMin)
      if (!(await deps.chainUp()))
        throw refuse('unavailable', 'the chain does not answer; nothing was reserved', 'Repeat the call later.', {
          retry_after_ms: 2000,
        })
      await deps.reservationGate(payout)
    },

    async execute(creator: string, payoutId: string, callId: string): Promise<PayoutAnswerBody> {
      const until = performance.now() + deps.executeWaitMs
      const { payout, transfer } = await own(deps, creator, payoutId)
      if (transfer === undefined) await step(deps, payoutId, payout, executeUpdate, { payoutId, callId })
      for (;;) {
        const record = await own(deps, creator, payoutId)
        if (record.transfer?.status === 'dead') throw deadTransfer(record)
        const settled = record.payout.state === 'executed' || record.transfer?.exception != null
        if (settled || performance.now() >= until) return payoutAnswer(record, deps.environment)
        await deps.changes.wait(payoutId, until - performance.now())
      }
    },

    async read(creator: string, by: { payout_id: string } | { idempotency_key: string }): Promise<PayoutAnswerBody> {
      const payoutId = 'payout_id' in by ? by.payout_id : payoutIdOf(creator, by.idempotency_key)
      return payoutAnswer(await own(deps, creator, payoutId), deps.environment)
    },
  }
}

/** Makes the payout's workflow read its row and go on, in a new run where none is open. */
export async function wakePayout(client: Client, record: PayoutRecord): Promise<void> {
  await client.workflow.signalWithStart<typeof payoutWorkflow>('payout', {
    ...startOptions(record.payout.payout_id, record.payout),
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

type StepUpdate = typeof createUpdate | typeof executeUpdate

async function step(
  deps: PayoutGatewayDeps,
  payoutId: string,
  known: Known,
  update: StepUpdate,
  input: Parameters<typeof sendStep>[4],
): Promise<void> {
  const result = await durableStep(deps, payoutId, (updateId) =>
    sendStep(deps.client, payoutId, known, update, input, updateId),
  ).catch((error) => told(deps, payoutId, error))
  if (!result.ok) throw new DomainError(result.refusal)
}

/** A 503 says of the money what is stored, not what is hoped. */
async function told(deps: PayoutGatewayDeps, payoutId: string, error: unknown): Promise<never> {
  if (!(error instanceof DomainError)) throw error
  const record = await readPayout(deps.db, payoutId).catch(() => undefined)
  throw new DomainError({ ...error.refusal, money_moved: moneyMoved(record?.transfer) })
}

function sendStep(
  client: Client,
  payoutId: string,
  known: Known,
  update: StepUpdate,
  input: { payoutId: string; callId: string; staged: string } | { payoutId: string; callId: string },
  updateId: string,
): Promise<StepResult> {
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof payoutWorkflow>('payout', {
    ...startOptions(payoutId, known),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  return client.workflow.executeUpdateWithStart(update as typeof createUpdate, {
    args: [input as never],
    updateId,
    startWorkflowOperation,
  })
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
    typedSearchAttributes: new TypedSearchAttributes(
      payoutAttributes({
        state: 'created',
        usage: known.usage,
        creator: known.creator,
        parked: null,
        exception: null,
        transfer: 'none',
      }),
    ),
  }
}

function acceptTerms(deps: PayoutGatewayDeps, creator: string, input: CreateInput): StagedCreate {
  const atomic = parseUsdc(input.amount_usdc)
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
  const recipient = input.recipient.toLowerCase()
  if (deps.refusedRecipients.has(recipient)) {
    const errors = [{ pointer: '/recipient', message: 'not the zero address, the asset or an address of this service' }]
    throw refuse('recipient_refused', 'this address is never paid', 'Name another recipient.', { errors })
  }
  const { memo, rail_reference, usage, idempotency_key } = input
  return { creator, recipient, amount_atomic: atomic.toString(), memo, rail_reference, usage, idempotency_key }
}

async function storedAnswer(deps: PayoutGatewayDeps, callId: string, payoutId: string): Promise<PayoutAnswerBody> {
  const call = await findCall(deps.db, callId)
  if (call?.answer != null) return call.answer as PayoutAnswerBody
  const record = await readPayout(deps.db, payoutId)
  if (record === undefined) throw unknownPayout()
  return payoutAnswer(record, deps.environment)
}

const deadTransfer = (record: PayoutRecord) =>
  refuse(
    'payout_expired',
    'the transfer is proven never to have moved and never to move',
    'Create and authorize a new payout.',
    {
      money_moved: 'no',
      extra: { receipt: record.receipts.at(-1)?.jws },
    },
  )
