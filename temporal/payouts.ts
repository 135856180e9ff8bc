import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client'
import { TypedSearchAttributes } from '@temporalio/common'
import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import type { PayoutUsage } from '#domain/core/usage.ts'
import type { StepAnswer, StepInput } from '../workflows/payout/activities.ts'
import { payoutAttributes } from '../workflows/payout/attributes.ts'
import { payoutSummary } from '../workflows/payout/details.ts'
import { authorizeUpdate, createUpdate, executeUpdate } from '../workflows/payout/messages.ts'
import type { payout as payoutWorkflow } from '../workflows/payout/workflow.ts'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'
import { wakeSignal } from '../workflows/shared/signals.ts'
import { PAYOUTS_QUEUE } from './queues.ts'
import { type Crowd, durableStep, type UpdateDeps } from './updates.ts'

/** What the list of workflows shows of a payout. */
export type PayoutLabel = {
  readonly creator: string
  readonly recipient: string
  readonly amount_atomic: string
  readonly usage: PayoutUsage
}
/** Reads the label, which only the start of a workflow needs. */
export type ReadLabel = () => Promise<PayoutLabel>

/** Calls under several keys may authorize one payout at once; create and execute need a call's lease first. */
const AUTHORIZE_CROWD: Crowd = { places: limits.updatesInFlightMax - 2 }

/**
 * Sends the steps of payouts to their workflows and returns what the step answered, which may be a refusal. A step is idempotent;
 * a DomainError says that its answer is not known.
 */
export function createPayoutGateway(deps: UpdateDeps) {
  const { client } = deps
  return {
    create: (step: StepInput, label: PayoutLabel): Promise<StepAnswer> =>
      durableStep(deps, step.payoutId, (updateId) =>
        startWith(client, { update: createUpdate, step, updateId }, label),
      ),

    authorize: (step: StepInput, readLabel: ReadLabel): Promise<StepAnswer> =>
      durableStep(
        deps,
        step.payoutId,
        (updateId) => sendTo(client, { update: authorizeUpdate, step, updateId }, readLabel),
        AUTHORIZE_CROWD,
      ),

    execute: (step: StepInput, readLabel: ReadLabel): Promise<StepAnswer> =>
      durableStep(deps, step.payoutId, (updateId) =>
        sendTo(client, { update: executeUpdate, step, updateId }, readLabel),
      ),
  }
}

export type PayoutGateway = ReturnType<typeof createPayoutGateway>

/** Makes the payout's workflow read its row and continue, in a new run where none is open. */
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

/** Sends the update to the open run; starts a run only where none is open, because that call costs more. */
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
