import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client'
import { TypedSearchAttributes } from '@temporalio/common'
import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import type { PayoutUsage } from '#domain/core/usage.ts'
import type { StepAnswer, StepInput } from '../workflows/payouts/activities.ts'
import { payoutAttributes, payoutSummary } from '../workflows/payouts/details.ts'
import { authorizeUpdate, createUpdate, executeUpdate } from '../workflows/payouts/messages.ts'
import type { payout as payoutWorkflow } from '../workflows/payouts/workflow.ts'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { durableStep, type UpdateDeps } from './updates.ts'

/** The facts of a payout that the list of workflows shows. */
export type PayoutLabel = {
  readonly creator: string
  readonly recipient: string
  readonly amount_atomic: string
  readonly usage: PayoutUsage
}
/** Only the start of a workflow needs the label, so it is read on demand. */
export type ReadLabel = () => Promise<PayoutLabel>

/** Calls with different keys may authorize one payout at the same time; create and execute first need the lease of their call. */
const AUTHORIZE_SLOTS = limits.updatesInFlightMax - 2

/**
 * Sends the steps of payouts to their workflows and returns their answers, which may be refusals. Steps are idempotent. A thrown
 * DomainError means that the answer is unknown.
 */
export function createPayoutGateway(deps: UpdateDeps) {
  const { client } = deps
  return {
    create: (step: StepInput, label: PayoutLabel): Promise<StepAnswer> =>
      durableStep(deps, {
        workflowId: step.payoutId,
        send: (updateId) => startWith(client, { update: createUpdate, step, updateId }, label),
      }),

    authorize: (step: StepInput, readLabel: ReadLabel): Promise<StepAnswer> =>
      durableStep(deps, {
        workflowId: step.payoutId,
        send: (updateId) => sendTo(client, { update: authorizeUpdate, step, updateId }, readLabel),
        slots: AUTHORIZE_SLOTS,
      }),

    execute: (step: StepInput, readLabel: ReadLabel): Promise<StepAnswer> =>
      durableStep(deps, {
        workflowId: step.payoutId,
        send: (updateId) => sendTo(client, { update: executeUpdate, step, updateId }, readLabel),
      }),
  }
}

export type PayoutGateway = ReturnType<typeof createPayoutGateway>

/** Makes the workflow of the payout read its row and continue, in a new run if none is open. */
export async function wakePayout(
  client: Client,
  { payout }: { payout: PayoutLabel & { readonly payout_id: string } },
): Promise<void> {
  await client.workflow.signalWithStart<typeof payoutWorkflow>('payout', {
    ...startOptions(payout.payout_id, payout),
    signal: wakeSignal,
    signalArgs: [],
  })
}

type Update = { update: typeof createUpdate; step: StepInput; updateId: string }

/** Sends the update to the open run. Starts a run only if none is open, because that call costs more. */
async function sendTo(
  client: Client,
  { update, step, updateId }: Update,
  readLabel: ReadLabel,
): Promise<StepAnswer> {
  const handle = client.workflow.getHandle(step.payoutId)
  try {
    return await handle.executeUpdate(update, { args: [step], updateId })
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return startWith(client, { update, step, updateId }, await readLabel())
  }
}

function startWith(
  client: Client,
  { update, step, updateId }: Update,
  label: PayoutLabel,
): Promise<StepAnswer> {
  const startWorkflowOperation = new WithStartWorkflowOperation<typeof payoutWorkflow>('payout', {
    ...startOptions(step.payoutId, label),
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  return client.workflow.executeUpdateWithStart(update, {
    args: [step],
    updateId,
    startWorkflowOperation,
  })
}

function startOptions(payoutId: string, { creator, recipient, amount_atomic, usage }: PayoutLabel) {
  const summary = payoutSummary({
    amountUsdc: formatUsdc(BigInt(amount_atomic)),
    recipient,
    usage,
  })
  const attributes = payoutAttributes({
    state: 'created',
    usage,
    creator,
    parked: null,
    exception: null,
    transfer: 'none',
  })
  return {
    workflowId: payoutId,
    taskQueue: PAYOUTS_QUEUE,
    args: [payoutId] as [string],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: summary,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.Summary, value: summary },
      ...attributes,
    ]),
  }
}
