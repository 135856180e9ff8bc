import { DomainError, refuse } from '#domain/core/errors.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import { railOf } from '#domain/rails/index.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { assertNotPaused } from '../../../activities/accounts/pauses.ts'
import type { AuthorityDeps } from '../../../activities/authority/deps.ts'
import { chargeFiring } from '../../../activities/authority/firing-charge.ts'
import { alreadyFunded } from '../../../activities/credit/quotes.ts'
import { payByAllowance } from '../../../activities/credit/references.ts'
import { taskIdOf } from '../../../activities/keys/derived-tokens.ts'
import { claimGrant } from '../../../activities/store/calls/calls.ts'
import { findReference } from '../../../activities/store/payments/payment-references.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { shareFiredWorkflow } from '../../../activities/store/production/customer-workflows.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { findWorkOrder } from '../../../activities/store/work-orders/work-orders.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { assertFires } from '../../../activities/tasks/firings.ts'
import type { TaskGateway } from '../../../temporal/tasks.ts'
import type { WriteGate, Writer } from '../authority/write-gate.ts'
import type { PaymentService } from '../credit/payments.ts'
import type { QuoteService } from '../credit/quotes.ts'
import type { UploadChecks } from '../inputs/upload-checks.ts'
import { assertStartable, type StartAsked } from '../runs/admission.ts'
import { ownRun } from '../runs/own-run.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import type { TaskCaller } from '../tasks/access.ts'
import { orderView } from './intake.ts'
import { advance, type OrderedRunAsked, orderOfRun, storeOrderedRun } from './ordered-run.ts'
import { orderNames } from './work-orders.ts'

type WalletRunAsked = OrderedRunAsked & {
  walletId: string
  /** Refuses a write that the production write gate does not admit. */
  admit: () => Promise<unknown>
}

/**
 * Stores a run once, in the caller's transaction: its order, its task with an accepted contract, and its price, which leaves the
 * balance of the wallet and is earned only by the result. The run then waits for a review. Throws 403 `control_denied`, 409
 * `wallet_underfunded` with the shortfall, and the refusals of orders and payments.
 */
async function storeWalletRun(deps: TaskDeps, tx: Tx, asked: WalletRunAsked): Promise<void> {
  const { run, agentId, walletId } = asked
  const stored = await storeOrderedRun(deps, tx, asked)
  if (stored === undefined) return
  const { entitlement, challenge } = stored
  await asked.admit()
  // All runs of a wallet wait for its row, so it is locked as late as possible.
  if (challenge !== null)
    await payByAllowance(deps, tx, { agentId, walletId, challengeId: challenge.challenge_id })
  // A quote of several runs is paid once, and the wallet that paid it has the other runs.
  else if (entitlement.source !== walletAccount(walletId)) throw alreadyFunded(entitlement)
  await advance(deps, tx, run.taskId)
}

/** A run that a wallet paid for, with its order and payment; 404 for any other run. */
async function walletRunView(deps: RunViewDeps, tx: Tx, task: TaskRow) {
  const run = await runView(deps, tx, task)
  const order = await findWorkOrder(tx, { work_order_id: run.work_order_id ?? '' })
  const reference = await findReference(tx, run.payment_reference_id ?? '')
  if (order === undefined || reference?.method !== 'agent_allowance')
    throw refuse('not_found', {
      detail: 'no wallet is bound to this run',
      next_action: 'Read it at GET /api/agent-use.',
    })
  const [intake] = await listReceipts(tx, order.work_order_id)
  const { payer, payment_reference_id, settlement_receipt_id } = reference
  if (payer === null || settlement_receipt_id === null || intake === undefined)
    throw new Error(`${order.work_order_id} has no intake receipt or was not paid by a wallet`)
  return {
    wallet_id: payer,
    payment_intent_id: payment_reference_id,
    settlement_reference: settlement_receipt_id,
    receipt_id: intake.receipt_id,
    work_order: await orderView(tx, order),
    return_package_target: {
      return_package_id: returnPackageId(run.run_id),
      url: run.links.return_package,
    },
    run,
  }
}

type Deps = TaskDeps &
  RunViewDeps & {
    gateway: Pick<TaskGateway, 'wake'>
    quotes: Pick<QuoteService, 'read' | 'assertClaimable'>
    uploadChecks: Pick<UploadChecks, 'assertInput'>
    payments: Pick<PaymentService, 'challenge'>
    gate: Pick<WriteGate, 'admit'>
    keys: AuthorityDeps['keys']
  }
type Asked =
  | 'rail'
  | 'tier'
  | 'on_gaps'
  | 'quote_id'
  | 'quote_token'
  | 'input'
  | 'callback_url'
  | 'customer_account'
type WalletStart = Pick<StartAsked, Asked> & {
  wallet_id: string
  acceptance_criteria: string[]
}

/** Runs that an allowance wallet pays for. */
export class WalletRunService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** 404 for an unknown run, and for that of another. */
  read(caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx) =>
      walletRunView(this.deps, tx, await ownRun(tx, caller, runId)),
    )
  }

  /** Starts a run with its order and its payment; repeated, it returns the run that it started. 402 with the shortfall. */
  async start(writer: Writer, asked: WalletStart, callId: string) {
    const { agentId } = writer
    const { db, tokens, gateway, gate } = this.deps
    const { status_token, ids } = await orderNames(tokens, callId)
    const work_order_id = ids.workOrderId
    if ((await findWorkOrder(db, { work_order_id })) === undefined)
      await this.#assertStartable(agentId, asked)
    const taskId = taskIdOf(await tokens.statusToken('tk', callId))
    const run = { taskId, eventId: callId, rail: asked.rail, input: asked.input }
    const { rail, callback_url: callbackUrl, customer_account: customerAccount } = asked
    const order = orderOfRun(agentId, asked, 'paid from an allowance wallet')
    const write = { operationId: 'wallet-run-start', writer, rail, callbackUrl, callId } as const
    await transaction(db, async (tx) => {
      // Before any other row, as a move of the workflow locks it.
      const fired = await shareFiredWorkflow(tx, callId)
      await claimGrant(tx, callId, work_order_id)
      await storeWalletRun(this.deps, tx, {
        agentId,
        walletId: asked.wallet_id,
        quoteId: asked.quote_id,
        quoteToken: asked.quote_token,
        customerAccount,
        order: { ...ids, ...order, acceptance_criteria: asked.acceptance_criteria },
        run,
        admit: async () => {
          if (fired !== undefined) assertFires(fired)
          await gate.admit(tx, { ...write, subject: taskId, customerAccount })
          await chargeFiring(this.deps, tx, { callId, quoteId: asked.quote_id })
        },
      })
    }).catch((error: unknown) => this.#askForMoney(agentId, asked, error))
    // The run is stored even if its workflow cannot be notified now: the review wakes it too.
    await gateway.wake(taskId).catch(() => undefined)
    return { ...(await this.read({}, runIdOf(taskId))), status_token }
  }

  async #assertStartable(agentId: string, asked: WalletStart): Promise<void> {
    const { db, quotes } = this.deps
    await assertNotPaused(db, { rail: asked.rail, agentId })
    const isSold = (railOf(asked.rail).prices?.[asked.tier] ?? 0) > 0
    await assertStartable(this.deps, { agentId, isSold }, { ...asked, usage: 'operational' })
    await quotes.assertClaimable(asked.quote_id, { owner: agentId, token: asked.quote_token })
  }

  /** A balance that is too small leaves no run: the agent funds its wallet, or pays the quote in another way. */
  async #askForMoney(
    owner: string,
    { wallet_id, quote_id, quote_token: token }: WalletStart,
    error: unknown,
  ): Promise<never> {
    if (!(error instanceof DomainError) || error.refusal.code !== 'wallet_underfunded') throw error
    const challenge = await this.deps.payments.challenge(quote_id, { claimer: { owner, token } })
    const { accepted_methods } = challenge
    throw refuse('payment_required', {
      detail: error.refusal.detail,
      next_action:
        'Pay the shortfall into the wallet by fund_allowance, then send the same call again.',
      extra: { ...error.refusal.extra, wallet_id, challenge, accepted_methods },
    })
  }
}
