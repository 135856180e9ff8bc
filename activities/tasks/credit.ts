import { resultContractVersion } from '#domain/core/contract-sets.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { creditExhausted, remainingUnits, sandboxAccount } from '#domain/credit/credit.ts'
import { taskStates } from '#domain/tasks/lifecycle.ts'
import { type CreditFacts, moneyTrouble } from '#domain/tasks/money.ts'
import { refuseTaskEvent } from '#domain/tasks/refused-event.ts'
import { assertAccountAllows, insistAccountAllows } from '../accounts/controls.ts'
import { consumeCredit } from '../credit/credit.ts'
import {
  alreadyFunded,
  openEntitlement,
  payableChallenge,
  paymentPending,
  quoteExpired,
  requireQuote,
} from '../credit/quotes.ts'
import { requireEntitlement, returnRest } from '../credit/returns.ts'
import { fundFree, fundFromSandbox } from '../credit/sandbox.ts'
import { findResourcesOf } from '../store/authority/mandates.ts'
import { isWithheld } from '../store/credit/allowance-wallets.ts'
import { type EntitlementRow, listPayers } from '../store/credit/entitlements.ts'
import type { QuoteRow } from '../store/credit/quotes.ts'
import {
  type ChallengeRow,
  lockLiveChallenge,
  updateChallenge,
} from '../store/payments/challenges.ts'
import { findLiveOf } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { findReturnPackage } from '../store/runs/runs.ts'
import {
  creditUseOf,
  endReservation,
  findTaskCredit,
  readTaskCredit,
  reserveCredit,
  type TaskCreditRow,
} from '../store/tasks/task-credits.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'

type CreditRequest = { task: TaskRow; quoteId: string }

/**
 * Reserves credit of a quote for one run of the locked task; the caller then wakes the task. A synthetic run gets its credit from
 * the sandbox at once. A repeat returns the same. 404, 403 `not_owner`, 409 `wrong_state`, `quote_mismatch`,
 * `credit_exhausted`, `already_funded` or `payment_pending` for a task whose other quote is paid, 410 `quote_expired`.
 */
export async function claimCredit(
  deps: ReceiptIssuer,
  tx: Tx,
  { task, quoteId }: CreditRequest,
): Promise<EntitlementRow> {
  const known = await findTaskCredit(tx, task.task_id)
  if (known?.quote_id === quoteId) return requireEntitlement(tx, known.entitlement_id)
  if (taskStates.indexOf(task.state) > taskStates.indexOf('trusted'))
    throw await refusedClaim(tx, task, quoteId)
  if (known !== undefined) await releaseUnpaid(tx, known)
  const quote = await quoteFor(tx, task, quoteId)
  const { entitlement_id, state } = await openEntitlement(tx, quote, task.agent_id ?? task.task_id)
  if (quote.expired && state === 'pending') throw quoteExpired(quote)
  if (task.usage === 'synthetic') await fundFromSandbox(deps, tx, entitlement_id)
  else if (quote.total_usd === 0) await fundFree(deps, tx, entitlement_id)
  const entitlement = await requireEntitlement(tx, entitlement_id)
  if (task.usage === 'operational' && entitlement.source === sandboxAccount)
    throw mismatch('the quote was for a synthetic run')
  await reserve(tx, { task, quote, entitlement })
  return entitlement
}

/**
 * Requests the payment of a task's run: reserves credit, and opens the challenge that funds it. The challenge is null where nothing
 * has to be paid. Refuses as `claimCredit` does.
 */
export async function requestCredit(
  deps: ReceiptIssuer,
  tx: Tx,
  { task, quoteId }: CreditRequest,
): Promise<{ entitlement: EntitlementRow; challenge: ChallengeRow | null }> {
  const { total_usd } = await requireQuote(tx, quoteId)
  const unpaid = task.usage === 'synthetic' || total_usd === 0
  // Every caller locks a challenge before the credit that it funds.
  const challenge = unpaid ? undefined : await payableChallenge(tx, quoteId)
  const entitlement = await claimCredit(deps, tx, { task, quoteId })
  if (challenge === undefined) return { entitlement, challenge: null }
  const { entitlement_id } = entitlement
  if (challenge.entitlement_id === null)
    await updateChallenge(tx, challenge.challenge_id, { entitlement_id })
  return { entitlement, challenge: { ...challenge, entitlement_id } }
}

type Reservation = { task: TaskRow; quote: QuoteRow; entitlement: EntitlementRow }

async function reserve(tx: Tx, { task, quote, entitlement }: Reservation): Promise<void> {
  const { task_id } = task
  const { entitlement_id, granted_units, consumed_units, returned_units } = entitlement
  const units = quote.total_usd / quote.units
  const { reservedUnits, underWay, ended } = await creditUseOf(tx, entitlement_id, task_id)
  if (granted_units === 0 && underWay + ended > 0) throw creditExhausted(0)
  const free = granted_units - consumed_units - returned_units - reservedUnits
  if (units > free && entitlement.state === 'pending')
    throw refuse('quote_mismatch', {
      detail: 'another run was begun on this quote, and nothing is paid for it yet',
      next_action: 'Pay for that run, or ask for another quote.',
    })
  if (units > free) throw creditExhausted(free)
  await assertPayerPermitted(tx, task_id, entitlement)
  await insistTask(tx, task, units)
  await reserveCredit(tx, { task_id, quote_id: quote.quote_id, entitlement_id, units })
}

/** A delegated start takes credit that was paid by what its mandate names, whatever its quote had when the action was judged. */
async function assertPayerPermitted(tx: Tx, taskId: string, credit: EntitlementRow): Promise<void> {
  if (credit.state === 'pending' || credit.source === null) return
  const resources = await findResourcesOf(tx, taskId)
  if (resources === undefined || resources.length === 0) return
  const payers = await listPayers(tx, credit)
  if (payers.length === 0 || payers.some((payer) => resources.includes(payer))) return
  const detail = `the mandate does not name ${payers[0]}`
  throw refuse('authority_denied', {
    detail,
    money_moved: 'no',
    extra: { reasons: [{ rule: 'resource_allowed', effect: 'deny', detail }] },
  })
}

/** Why a task takes no credit: the controls of its account, which its preflight may have found before, or its state. */
export async function refusedClaim(tx: Tx, task: TaskRow, quoteId: string): Promise<DomainError> {
  const { total_usd, units } = await requireQuote(tx, quoteId)
  const { agent_id: agentId, rail, usage, callback_url: callbackUrl } = task
  const usd = usage === 'synthetic' ? 0 : total_usd / units
  await assertAccountAllows(tx, { agentId: agentId ?? '' }, { rail, usd, callbackUrl })
  return refuseTaskEvent(task.state, 'quote_issued')
}

/** Every run is spent here by its account, however its credit is paid or was paid before. */
function insistTask(tx: Tx, task: TaskRow, units: number): Promise<void> {
  const { agent_id, rail, usage, task_id: subject, callback_url: callbackUrl } = task
  const usd = usage === 'synthetic' ? 0 : units
  return insistAccountAllows(
    tx,
    { agentId: agent_id ?? '' },
    { kind: 'run', subject, rail, usd, callbackUrl },
  )
}

/** The quote, where it is for this task; paid credit can be used after the quote has expired. */
async function quoteFor(tx: Tx, task: TaskRow, quoteId: string): Promise<QuoteRow> {
  const quote = await requireQuote(tx, quoteId)
  if (quote.rail !== task.rail || quote.tier !== task.tier)
    throw mismatch(
      `the quote is for ${quote.rail} ${quote.tier}, the task for ${task.rail} ${task.tier}`,
    )
  if (quote.task_id !== null && quote.task_id !== task.task_id)
    throw mismatch('the quote is for another task')
  if (task.usage === 'synthetic' && (await lockLiveChallenge(tx, quoteId)) !== undefined)
    throw mismatch('a payment was requested for this quote, and a synthetic run takes none')
  return quote
}

/** Releases the reservation of an unpaid quote, which another quote replaces. */
async function releaseUnpaid(tx: Tx, credit: TaskCreditRow): Promise<void> {
  const entitlement = await requireEntitlement(tx, credit.entitlement_id)
  if (entitlement.state !== 'pending') throw alreadyFunded(entitlement)
  const reference = await findLiveOf(tx, entitlement.entitlement_id)
  if (reference !== undefined) throw paymentPending(reference)
  await endReservation(tx, credit, null)
}

/** Charges an attested result: a usage receipt over the reserved credit, bound to the result; the rest of the credit is returned. */
export async function chargeResult(deps: ReceiptIssuer, tx: Tx, task: TaskRow): Promise<void> {
  if (task.state !== 'attested' || task.run_id === null) return
  const credit = await findTaskCredit(tx, task.task_id)
  if (credit?.state !== 'reserved') return
  const entitlement = await requireEntitlement(tx, credit.entitlement_id)
  // An exception reports credit that was taken back or is disputed.
  if (remainingUnits(entitlement) < credit.units) return
  if ((await findLiveOf(tx, entitlement.entitlement_id))?.state === 'disputed') return
  if (await isWithheld(tx, entitlement.source)) return
  const made = await findReturnPackage(tx, task.run_id)
  const result_contract = {
    ...resultContractVersion,
    settlement_receipt_id: entitlement.settlement_receipt_id,
    return_package_id: made?.return_package_id,
    result_sha256: made?.result_sha256,
    proof_hash: made?.proof_hash,
  }
  const { task_id, run_id, changed_at: occurredAt } = task
  const { units, entitlement_id: entitlementId } = credit
  const facts = { task_id, result_contract }
  const use = {
    entitlementId,
    key: task_id,
    units,
    kind: 'run_usage',
    occurredAt,
    runId: run_id,
  } as const
  const { usage_receipt_id } = await consumeCredit(deps, tx, { ...use, taskId: task_id, facts })
  await endReservation(tx, credit, usage_receipt_id)
  await returnRest(deps, tx, entitlementId)
}

/** Releases the unused reservation of a task that has ended, and returns the credit where no other task can use it. */
export async function releaseCredit(deps: ReceiptIssuer, tx: Tx, taskId: string): Promise<void> {
  const credit = await findTaskCredit(tx, taskId)
  if (credit?.state !== 'reserved') return
  const { entitlement_id } = await requireEntitlement(tx, credit.entitlement_id)
  await endReservation(tx, credit, null)
  await returnRest(deps, tx, entitlement_id)
}

/** The stored facts of a task's credit; null where none is reserved for it. */
export async function creditFactsOf(
  tx: Tx,
  { task_id, state }: TaskRow,
): Promise<CreditFacts | null> {
  const row = await readTaskCredit(tx, task_id)
  if (row === undefined) return null
  const { challenge_id: id, challenge_ends_at: endsAt, credit_state, settlement_receipt_id } = row
  return {
    quoteId: row.quote_id,
    quoteEndsAt: row.quote_ends_at.toISOString(),
    quoteLives: row.quote_lives,
    entitlementId: row.entitlement_id,
    challenge: id === null || endsAt === null ? null : { id, endsAt: endsAt.toISOString() },
    settlementReceiptId: row.entitlement_state === 'funded' ? settlement_receipt_id : null,
    fundingReceiptId: settlement_receipt_id,
    usageReceiptId: row.usage_receipt_id,
    trouble: moneyTrouble(state, {
      uncharged: credit_state === 'reserved',
      referenceState: row.reference_state,
      reason: row.reason,
      reasonCode: row.reason_code,
      reversedBefore: row.reversed_before,
    }),
  }
}

const mismatch = (detail: string) =>
  refuse('quote_mismatch', { detail, next_action: 'Ask for a quote with the token of the task.' })
