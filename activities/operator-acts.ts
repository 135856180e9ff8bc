import { randomUUID } from 'node:crypto'
import type { ControlDeps } from './controls.ts'
import { type ReceiptView, receiptView } from './receipt-view.ts'
import { clockSeconds, type Tx } from './store/db.ts'
import { appendReceipt } from './store/receipts.ts'

/** `facts` stand in the receipt as well. */
export type OperatorAct = { act: string; act_on: string; reason: string; facts?: Record<string, unknown> }

/** The signed receipt of an operator's act that has no row of its own, such as waking a workflow. */
export async function signAct(
  { issuer, environment, signReceipt }: ControlDeps,
  tx: Tx,
  { operatorId, name }: { operatorId: string; name: string },
  { facts: more = {}, ...act }: OperatorAct,
): Promise<ReceiptView> {
  const seconds = await clockSeconds(tx)
  const who = { operator_id: operatorId, operator_name: name }
  const facts = { ...more, ...act, ...who, at: new Date(seconds * 1000).toISOString() }
  const subject = `act_${randomUUID()}`
  const receipt = { subject, kind: 'control_change', usage: 'operational', environment, issuer, facts }
  return receiptView(await appendReceipt(tx, signReceipt, receipt, Math.floor(seconds)))
}
