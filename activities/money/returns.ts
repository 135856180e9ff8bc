import { giveBack, remainingUnits, usageOf } from '../../workflows/domain/credit.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { receiptId } from '../../workflows/domain/ids.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { type EntitlementRow, lockEntitlement, updateEntitlement } from '../store/entitlements.ts'
import { postMovement } from '../store/postings.ts'
import { findQuote } from '../store/quotes.ts'
import { creditUseOf } from '../store/task-credits.ts'
import { type ReceiptIssuer, writeMoneyReceipt } from './deps.ts'

/** Gives back what was not consumed, to where it came from, once; an entitlement with nothing left stays as it is. */
export async function returnUnused(deps: ReceiptIssuer, tx: Tx, entitlementId: string): Promise<EntitlementRow> {
  const entitlement = await requireEntitlement(tx, entitlementId)
  const moved = giveBack(entitlement)
  if (moved.legs.length === 0) return entitlement
  const { entitlement_id, source, consumed_units } = entitlement
  const facts = { entitlement_id, returned_units: remainingUnits(entitlement), consumed_units, to: source }
  const receipt = { subject: entitlement_id, kind: 'credit_return' as const, usage: usageOf(entitlement), facts }
  await postMovement(tx, receiptId(await writeMoneyReceipt(deps, tx, receipt, await clockSeconds(tx))), moved.legs)
  await updateEntitlement(tx, moved.entitlement)
  const { state, returned_units } = moved.entitlement
  return { ...entitlement, state, returned_units }
}

/**
 * Gives the rest back once nobody is left to use it: as many tasks have ended as were paid for, and none is under way. Credit that
 * no task was ever set on waits for one.
 */
export async function returnRest(deps: ReceiptIssuer, tx: Tx, entitlementId: string): Promise<void> {
  const { quote_id } = await requireEntitlement(tx, entitlementId)
  const { underWay, ended } = await creditUseOf(tx, entitlementId)
  const quote = await findQuote(tx, quote_id)
  // What was quoted for one task is for no other.
  const runs = quote === undefined || quote.task_id !== null ? 1 : quote.units
  if (underWay === 0 && ended >= runs) await returnUnused(deps, tx, entitlementId)
}

/** The entitlement, locked; 404 without it. */
export async function requireEntitlement(tx: Tx, entitlementId: string): Promise<EntitlementRow> {
  const entitlement = await lockEntitlement(tx, entitlementId)
  if (entitlement !== undefined) return entitlement
  throw refuse('not_found', 'no such entitlement', 'Check the entitlement id.')
}
