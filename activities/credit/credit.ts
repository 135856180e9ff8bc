import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { move } from '#domain/core/state-table.ts'
import {
  clearingAccount,
  consume,
  creditExhausted,
  refund,
  remainingUnits,
  reverseTopUp,
  usageOf,
  walletAccount,
} from '#domain/credit/credit.ts'
import type { UsageKind } from '#domain/credit/usage-event.ts'
import { referenceTransitions } from '#domain/payments/payment-reference.ts'
import { isRail } from '#domain/rails/rail.ts'
import { insistAccountAllows } from '../accounts/controls.ts'
import { isWithheld, lockWallet } from '../store/credit/allowance-wallets.ts'
import { type EntitlementRow, updateEntitlement } from '../store/credit/entitlements.ts'
import { releaseRunFees } from '../store/credit/fee-events.ts'
import { postMovement, readBalance } from '../store/credit/postings.ts'
import {
  appendUsageEvent,
  findUsageEvent,
  lockUsageChain,
  type StoredUsageEvent,
} from '../store/credit/usage-events.ts'
import {
  findLiveOf,
  type ReferenceRow,
  updateReference,
} from '../store/payments/payment-references.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { creditUseOf } from '../store/tasks/task-credits.ts'
import { writeMoneyReceipt } from './deps.ts'
import { requireEntitlement } from './returns.ts'
import { freeOf } from './sandbox.ts'
import { lockBoth } from './settlement.ts'

/** `key` names the use within its entitlement: the same key consumes once. `units` of credit are whole usd. */
export type Consumption = {
  entitlementId: string
  key: string
  units: number
  kind: UsageKind
  occurredAt: Date
  runId?: string
  subject?: string
  /** The task whose reserved credit is used. */
  taskId?: string
  /** Further facts of the receipt. */
  facts?: Record<string, unknown>
}

/**
 * Consumes credit: usage receipt, postings and the event of the entitlement's usage chain, in the caller's transaction. Repeated,
 * it returns the first event. 404, 403 `control_denied`, 409 `credit_exhausted`, `wrong_state`, 422 `idempotency_conflict`.
 */
export async function consumeCredit(
  deps: ReceiptIssuer,
  tx: Tx,
  use: Consumption,
): Promise<StoredUsageEvent> {
  const entitlement = await requireEntitlement(tx, use.entitlementId)
  const { entitlement_id, rail, agent_id } = entitlement
  const event_id = `ue_${digestOf({ entitlement_id, key: use.key })}`
  await lockUsageChain(tx, entitlement_id)
  const earlier = await findUsageEvent(tx, event_id)
  if (earlier?.credit_units === use.units) return earlier
  if (earlier !== undefined)
    throw refuse('idempotency_conflict', {
      detail: 'this use was recorded with other units',
    })
  if (entitlement.state === 'pending') throw notFunded()
  if ((await findLiveOf(tx, entitlement_id))?.state === 'disputed') throw disputed()
  if (await isWithheld(tx, entitlement.source)) throw withheld()
  const { reservedUnits } = await creditUseOf(tx, entitlement_id, use.taskId)
  const free = remainingUnits(entitlement) - reservedUnits
  if (use.units > free) throw creditExhausted(free)
  if (use.taskId === undefined) await insistFee(tx, entitlement, { ...use, event_id })
  const moved = consume(entitlement, use.units)
  const seconds = await clockSeconds(tx)
  const left = remainingUnits(moved.entitlement)
  const used = { run_id: use.runId ?? null, subject: use.subject ?? null }
  const facts = {
    ...use.facts,
    entitlement_id,
    event_id,
    rail,
    consumed_units: use.units,
    ...freeOf(entitlement),
    remaining_units: left,
    ...used,
  }
  const receipt = {
    subject: event_id,
    kind: 'usage_receipt' as const,
    usage: usageOf(entitlement),
    facts,
  }
  const usage_receipt_id = receiptId(
    await writeMoneyReceipt(deps, tx, { ...receipt, nowSeconds: seconds }),
  )
  await postMovement(tx, usage_receipt_id, moved.legs)
  await updateEntitlement(tx, moved.entitlement)
  const amount = { units: use.units, unit: 'usd_credit', credit_units: use.units }
  const event = {
    event_id,
    chain: entitlement_id,
    kind: use.kind,
    rail: isRail(rail) ? rail : null,
    agent_id,
    usage_receipt_id,
    ...amount,
    ...used,
  }
  return appendUsageEvent(
    tx,
    { ...event, occurred_at: use.occurredAt.toISOString() },
    new Date(seconds * 1000),
  )
}

/** Credit that no run reserved is spent by its account when it is used. */
function insistFee(
  tx: Tx,
  { agent_id, rail, source }: EntitlementRow,
  { event_id: subject, units }: { event_id: string; units: number },
): Promise<void> {
  const usd = usageOf({ source }) === 'synthetic' ? 0 : units
  const spend = { kind: 'fee', subject, rail: isRail(rail) ? rail : null, usd } as const
  return insistAccountAllows(tx, { agentId: agent_id }, spend)
}

/**
 * A verified payment was taken back: the credit that is left goes, and so does what was earned by it. What a wallet no longer holds
 * of it, the wallet owes. `afterUse` says that work was done for it, or that it is owed. Repeated, nothing more happens. 404,
 * 409 `wrong_state`.
 */
export async function refundReference(
  deps: ReceiptIssuer,
  tx: Tx,
  { referenceId, decidedBy, reason }: { referenceId: string; decidedBy: string; reason: string },
): Promise<{ reference: ReferenceRow; afterUse: boolean }> {
  const reference = (await lockBoth(tx, referenceId))?.reference
  if (reference === undefined) throw refuse('not_found', { detail: 'no such payment reference' })
  const { payment_reference_id, amount_usd, entitlement_id, wallet_id } = reference
  const entitlement =
    entitlement_id === null ? undefined : await requireEntitlement(tx, entitlement_id)
  const isUsed = (entitlement?.consumed_units ?? 0) > 0
  if (reference.state === 'refunded') return { reference, afterUse: isUsed }
  const state = move('the payment reference', referenceTransitions, reference.state, 'refund')
  const moved = entitlement === undefined ? undefined : refund(entitlement)
  const legs = moved?.legs ?? (await fromWallet(tx, reference))
  const afterUse = isUsed || legs.some(({ account }) => account.startsWith('debt:'))
  const facts = {
    payment_reference_id,
    amount_usd,
    entitlement_id,
    wallet_id,
    decided_by: decidedBy,
    reason,
    after_use: afterUse,
  }
  if (entitlement_id !== null) await releaseRunFees(tx, entitlement_id)
  const receipt = { subject: refundSubject(reference), kind: 'refund' as const, facts }
  await postMovement(tx, receiptId(await writeMoneyReceipt(deps, tx, receipt)), legs)
  if (moved !== undefined) await updateEntitlement(tx, moved.entitlement)
  return { reference: await updateReference(tx, payment_reference_id, { state, reason }), afterUse }
}

/** Each refund of a payment has a subject of its own, which the receipt of its failure shares. */
export const refundSubject = ({
  payment_reference_id,
  refunds_failed,
}: Pick<ReferenceRow, 'payment_reference_id' | 'refunds_failed'>): string =>
  refunds_failed === 0 ? payment_reference_id : `${payment_reference_id}/${refunds_failed + 1}`

async function fromWallet(tx: Tx, { wallet_id, amount_usd, method }: ReferenceRow) {
  const walletId = wallet_id ?? ''
  await lockWallet(tx, walletId)
  const held = await readBalance(tx, walletAccount(walletId))
  return reverseTopUp({ walletId, held }, clearingAccount(method), amount_usd)
}

const disputed = () =>
  refuse('wrong_state', {
    detail: 'the payment behind the credit is disputed',
    next_action: 'Use it once the dispute is decided.',
    extra: { state: 'disputed' },
  })

const withheld = () =>
  refuse('wrong_state', {
    detail: 'a payment into the wallet that paid for the credit was taken back or is disputed',
    next_action: 'Pay into the wallet what it owes, or wait until the dispute is decided.',
    extra: { state: 'withheld' },
  })

const notFunded = () =>
  refuse('wrong_state', {
    detail: 'the credit is not funded',
    next_action: 'Pay the challenge of its quote.',
    extra: { state: 'pending' },
  })
