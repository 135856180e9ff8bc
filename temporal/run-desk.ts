import { type ActivationOf, readActivation } from '../activities/money/activation.ts'
import { responseToPayment } from '../activities/money/payment-response.ts'
import { receiptView } from '../activities/receipt-view.ts'
import { openRunReads, ownRun, type RunReadDeps, receiptsOfRun } from '../activities/runs/reading.ts'
import { runView } from '../activities/runs/views.ts'
import { clockSeconds, type Tx, transaction } from '../activities/store/db.ts'
import { answerOnce } from '../activities/store/once.ts'
import { listTaskExceptions } from '../activities/store/task-exceptions.ts'
import { findTaskEvent, listLedger, requireTask } from '../activities/store/tasks.ts'
import { recordAudit } from '../activities/tasks/audit.ts'
import { runIdOf } from '../activities/tasks/facts.ts'
import type { Asker } from '../activities/tasks/reading.ts'
import { writeTaskReceipt } from '../activities/tasks/receipt.ts'
import { taskExceptionView } from '../activities/tasks/views.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { resultContractVersion } from '../workflows/domain/contract-sets.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { rails } from '../workflows/domain/rails/index.ts'
import type { TaskState } from '../workflows/domain/task-lifecycle.ts'
import { beginRun, type StartAsked, type StartDeps, withMandate } from './run-start.ts'
import { type Submission, submitRun } from './submit-run.ts'
import type { Mover } from './task-desk.ts'

export type RunDeskDeps = StartDeps & RunReadDeps & { settleWaitMs: number }
export type RunDesk = ReturnType<typeof openRunDesk>

/** Runs as their agents start, follow and acknowledge them. */
export function openRunDesk(deps: RunDeskDeps) {
  const reads = openRunReads(deps)
  return {
    ...reads,
    /** The rails whose runs agents start by themselves. */
    offered: rails.filter(({ takes }) => takes.paidAgentUse),
    start: (agentId: string, asked: StartAsked, callId: string) => start(deps, agentId, asked, callId),
    submit: async (mover: Mover, submission: Submission) =>
      reads.run({}, runIdOf(await submitRun(deps, mover, submission))),
    activation: (asker: Asker, of: ActivationOf) => readActivation(deps.db, asker, of),
    acknowledge: (mover: Mover, input: Acknowledgement, callId: string) => acknowledge(deps, mover, input, callId),
  }
}

/**
 * Starts a run, or continues one: paid at once where a wallet is named, answered with its challenge while a named payment is being
 * confirmed, and with `PAYMENT-RESPONSE` where the call carries its payment. 402 `payment_required` with the challenge where nothing pays, 409 `payment_pending` where something may.
 */
async function start(deps: RunDeskDeps, agentId: string, given: StartAsked, callId: string) {
  const asked = await withMandate(deps.db, given)
  const taskId = await beginRun(deps, agentId, asked, callId)
  const pays = await payNow(deps, agentId, taskId, asked)
  await deps.gateway.advance(taskId)
  const headers = asked.payment_signature === undefined ? {} : await responseToPayment(deps, asked.quote_id)
  const { entitlement, ...started } = await transaction(deps.db, (tx) => startedRun(deps, tx, taskId))
  const waits = asksForMoney.includes(started.run.state) && entitlement?.state === 'pending'
  if (!waits) return { headers, started: { ...started, challenge: null } }
  if (pays) return { headers, started }
  throw unpaid(deps, await deps.money.challenge(asked.quote_id), started.run)
}

/** The 402 of an unpaid run, which an x402 client can pay: the same call with the payment goes through. */
function unpaid(
  { baseUrl }: RunDeskDeps,
  challenge: Awaited<ReturnType<RunDeskDeps['money']['challenge']>>,
  run: object,
) {
  const { accepts, accepted_methods, amount_usd, next_action } = challenge
  const next = `Send the same call with PAYMENT-SIGNATURE for one of accepts. Or: ${next_action} Then send the same call again.`
  const resource = { url: `${baseUrl}/api/agent-use`, description: 'A rail run', mimeType: 'application/json' }
  return refuse('payment_required', `${amount_usd} usd are to be paid`, next, {
    extra: { x402Version: 2, resource, accepts, accepted_methods, challenge, run },
  })
}

/** States in which a task goes on once it is paid. */
const asksForMoney: readonly TaskState[] = ['trusted', 'quoted', 'credit_pending']

/** Whether something pays for the run or is being confirmed: a wallet pays now, and a payment that is named is looked for. */
async function payNow(
  { db, money }: RunDeskDeps,
  agentId: string,
  taskId: string,
  { quote_id, wallet_id, payment_reference_id, payment_signature }: StartAsked,
): Promise<boolean> {
  const { entitlement } = await transaction(db, (tx) => money.ofTask(tx, taskId))
  if (entitlement?.state !== 'pending') return true
  if (payment_reference_id !== undefined) {
    const { payment_reference } = await money.fundCredit(agentId, entitlement.entitlement_id, { payment_reference_id })
    return ['presented', 'pending', 'verified'].includes(payment_reference.state)
  }
  const payment = carried({ wallet_id, payment_signature })
  if (payment === undefined) return false
  await money.present({ agentId }, { quote_id }, payment)
  return true
}

/** What the call pays with by itself; a wallet that it names pays rather than a signed payment. */
function carried({ wallet_id, payment_signature }: Pick<StartAsked, 'wallet_id' | 'payment_signature'>) {
  if (wallet_id !== undefined)
    return { method: 'agent_allowance', external_reference: wallet_id, payer: wallet_id } as const
  if (payment_signature === undefined) return undefined
  const proof = { payment: payment_signature }
  return { method: 'x402_reference', external_reference: 'PAYMENT-SIGNATURE', proof } as const
}

async function startedRun(deps: RunDeskDeps, tx: Tx, taskId: string) {
  const task = await requireTask(tx, taskId)
  const run = await runView(deps, tx, task)
  const { settlement_receipt_id, usage_receipt_id } = run
  return {
    run,
    ...(await deps.money.ofTask(tx, taskId)),
    receipts: (await receiptsOfRun(deps, tx, task)).map(({ jws }) => receiptView(jws)),
    result_contract: { ...resultContractVersion, settlement_receipt_id, usage_receipt_id },
  }
}

export type Acknowledgement = { run_id: string; receipt_id: string; accepted: boolean; note: string }

/**
 * Writes down that the agent has a receipt of its run and takes it or not; what it does not take stops the task. 409 `wrong_state`
 * where nothing can be stopped any more, 422 `receipt_invalid` for what is no receipt of this run.
 */
async function acknowledge(deps: RunDeskDeps, mover: Mover, input: Acknowledgement, callId: string): Promise<void> {
  const { run_id, receipt_id, accepted, note } = input
  const { task_id } = await transaction(deps.db, async (tx) => {
    const task = await ownRun(tx, mover, run_id)
    const known = await receiptsOfRun(deps, tx, task)
    if (known.some((receipt) => receipt.receipt_id === receipt_id)) return task
    throw refuse('receipt_invalid', 'it is no receipt of this run', 'Name a receipt that the run or its task shows.')
  })
  if (!accepted) {
    const data = { code: 'caller_dispute', detail: note === '' ? `the agent does not take ${receipt_id}` : note }
    await deps.gateway.send(task_id, { eventId: callId, event: 'exception_raised', actor: mover.actor, data })
  }
  await answerOnce(deps, { callId, subject: task_id, status: 200 }, (tx) =>
    acknowledged(deps, tx, mover, input, callId),
  )
}

async function acknowledged(deps: RunDeskDeps, tx: Tx, { actor }: Mover, input: Acknowledgement, callId: string) {
  const task = await ownRun(tx, {}, input.run_id)
  const { task_id, sequence } = task
  const raised = (await findTaskEvent(tx, task_id, callId))?.sequence
  const [ledger_entry] = await listLedger(tx, task_id, { from: raised ?? sequence, most: 1 })
  const facts = { ...input, task_id, actor, ledger_entry: ledger_entry?.hash ?? null }
  const about = { task, subject: `ak_${digestOf({ call: callId })}`, kind: 'acknowledgement', facts }
  const seconds = await clockSeconds(tx)
  const acknowledgement = receiptView(await writeTaskReceipt(deps, tx, about, seconds))
  await recordAudit(tx, task, { unit: 'acknowledgement', subject: acknowledgement.receipt_id, seconds })
  const dispute = (await listTaskExceptions(tx, task_id)).find((one) => one.sequence === raised)
  return { acknowledgement, ledger_entry, dispute: dispute === undefined ? null : taskExceptionView(dispute) }
}
