import { receiptId } from '#domain/core/ids.ts'
import {
  type Account,
  freeAccount,
  fund,
  grantAccount,
  sandboxAccount,
  usageOf,
} from '#domain/credit/credit.ts'
import { pricingModelOf } from '#domain/credit/pricing.ts'
import { railOf } from '#domain/rails/index.ts'
import { isRail } from '#domain/rails/rail.ts'
import { type EntitlementRow, updateEntitlement } from '../store/credit/entitlements.ts'
import { postMovement } from '../store/credit/postings.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { ReceiptIssuer } from '../store/receipts/receipts.ts'
import { writeMoneyReceipt } from './deps.ts'
import { requireEntitlement } from './returns.ts'

/** The sandbox gives a synthetic run its credit, once: a settlement receipt that says so, and postings of accounts of its own. */
export const fundFromSandbox = (
  deps: ReceiptIssuer,
  tx: Tx,
  entitlementId: string,
): Promise<void> =>
  fundWithoutPayment(deps, tx, {
    entitlementId,
    source: sandboxAccount,
    decidedBy: 'sandbox_policy',
  })

/** Funds a free run once: a settlement receipt that states it, and no posting. */
export const fundFree = (deps: ReceiptIssuer, tx: Tx, entitlementId: string): Promise<void> =>
  fundWithoutPayment(deps, tx, { entitlementId, source: freeAccount, decidedBy: 'free_rail' })

/** An operator grants a run its credit, once: a settlement receipt that names the decision, and no payment. */
export const fundFromGrant = (
  deps: ReceiptIssuer,
  tx: Tx,
  {
    entitlementId,
    operator,
    decision,
  }: { entitlementId: string; operator: string; decision: string },
): Promise<void> =>
  fundWithoutPayment(deps, tx, {
    entitlementId,
    source: grantAccount,
    decidedBy: operator,
    facts: { funding: 'granted_entitlement', decision_receipt_id: decision },
  })

type Funding = {
  entitlementId: string
  source: Account
  decidedBy: string
  facts?: Record<string, string>
}

async function fundWithoutPayment(
  deps: ReceiptIssuer,
  tx: Tx,
  { entitlementId, source, decidedBy, facts: more = {} }: Funding,
): Promise<void> {
  const entitlement = await requireEntitlement(tx, entitlementId)
  if (entitlement.state !== 'pending') return
  const { entitlement_id, granted_units, agent_id } = entitlement
  const funded = fund(entitlement, source)
  const facts = {
    entitlement_id,
    agent_id,
    amount_usd: granted_units,
    decided_by: decidedBy,
    ...freeOf(entitlement),
    ...more,
  }
  const usage = usageOf(funded.entitlement)
  const receipt = { subject: entitlement_id, kind: 'settlement_receipt', usage, facts } as const
  const settlement = receiptId(await writeMoneyReceipt(deps, tx, receipt))
  await updateEntitlement(tx, funded.entitlement, settlement)
  await postMovement(tx, settlement, funded.legs)
}

/** The facts in the receipts of a free run. */
export const freeOf = ({ granted_units, rail }: Pick<EntitlementRow, 'granted_units' | 'rail'>) =>
  granted_units > 0 || !isRail(rail)
    ? {}
    : { price: 'free', pricing_model: pricingModelOf(railOf(rail)) }
