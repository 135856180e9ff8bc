import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { giveBack, remainingUnits, usageOf } from '#domain/credit/credit.ts'
import {
  type EntitlementRow,
  lockEntitlement,
  updateEntitlement,
} from '../store/credit/entitlements.ts'
import { postMovement } from '../store/credit/postings.ts'
import { findQuote, type QuoteRow } from '../store/credit/quotes.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { creditUseOf } from '../store/tasks/task-credits.ts'
import { writeMoneyReceipt } from './deps.ts'

/** Gives back what was not consumed, to where it came from, once; an entitlement with nothing left stays as it is. */
export async function returnUnused(
  deps: ReceiptIssuer,
  tx: Tx,
  entitlementId: string,
): Promise<EntitlementRow> {
  const entitlement = await requireEntitlement(tx, entitlementId)
  const moved = giveBack(entitlement)
  if (moved.legs.length === 0) return entitlement
  const { entitlement_id, source, consumed_units } = entitlement
  const facts = {
    entitlement_id,
    returned_units: remainingUnits(entitlement),
    consumed_units,
    to: source,
  }
  const receipt = {
    subject: entitlement_id,
    kind: 'credit_return' as const,
    usage: usageOf(entitlement),
    facts,
  }
  await postMovement(tx, receiptId(await writeMoneyReceipt(deps, tx, receipt)), moved.legs)
  await updateEntitlement(tx, moved.entitlement)
  const { state, returned_units } = moved.entitlement
  return { ...entitlement, state, returned_units }
}

/** Returns the rest once no task can use it. */
export async function returnRest(
  deps: ReceiptIssuer,
  tx: Tx,
  entitlementId: string,
): Promise<void> {
  const { quote_id } = await requireEntitlement(tx, entitlementId)
  if (await isUsedUp(tx, entitlementId, await findQuote(tx, quote_id)))
    await returnUnused(deps, tx, entitlementId)
}

/**
 * Whether no task can use a locked entitlement: as many tasks have ended as its quote is for, and none is in progress. Credit that
 * no task was ever set on waits for one.
 */
export async function isUsedUp(
  tx: Tx,
  entitlementId: string,
  quote: Pick<QuoteRow, 'task_id' | 'units'> | undefined,
): Promise<boolean> {
  const { underWay, ended } = await creditUseOf(tx, entitlementId)
  // A quote for one task cannot pay for another task.
  const runs = quote === undefined || quote.task_id !== null ? 1 : quote.units
  return underWay === 0 && ended >= runs
}

/** The entitlement, locked; 404 without it. */
export async function requireEntitlement(tx: Tx, entitlementId: string): Promise<EntitlementRow> {
  const entitlement = await lockEntitlement(tx, entitlementId)
  if (entitlement !== undefined) return entitlement
  throw refuse('not_found', {
    detail: 'no such entitlement',
  })
}
