import { fund, sandboxAccount } from '../../workflows/domain/credit.ts'
import { receiptId } from '../../workflows/domain/ids.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { updateEntitlement } from '../store/entitlements.ts'
import { postMovement } from '../store/postings.ts'
import { type ReceiptIssuer, writeMoneyReceipt } from './deps.ts'
import { requireEntitlement } from './returns.ts'

/** The sandbox gives a synthetic run its credit, once: a settlement receipt that says so, and postings of accounts of its own. */
export async function fundFromSandbox(deps: ReceiptIssuer, tx: Tx, entitlementId: string): Promise<void> {
  const entitlement = await requireEntitlement(tx, entitlementId)
  if (entitlement.state !== 'pending') return
  const { entitlement_id, granted_units, agent_id } = entitlement
  const facts = { entitlement_id, agent_id, amount_usd: granted_units, decided_by: 'sandbox_policy' }
  const receipt = { subject: entitlement_id, kind: 'settlement_receipt', usage: 'synthetic', facts } as const
  const settlement = receiptId(await writeMoneyReceipt(deps, tx, receipt, await clockSeconds(tx)))
  const funded = fund(entitlement, sandboxAccount)
  await updateEntitlement(tx, funded.entitlement, settlement)
  await postMovement(tx, settlement, funded.legs)
}
