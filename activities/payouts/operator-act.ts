import { randomUUID } from 'node:crypto'
import { type ReceiptView, receiptView } from '../keys/receipt-view.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import { issueReceipt } from '../store/receipts/receipts.ts'
import type { ControlDeps } from './controls.ts'

/** The receipt contains `facts` too. */
export type OperatorAct = {
  act: string
  act_on: string
  reason: string
  facts?: Record<string, unknown>
}

type Commanded = { by: { operatorId: string; name: string }; act: OperatorAct }

/** The signed receipt of an operator's command that has no row of its own, such as waking a workflow. */
export async function signAct(
  deps: ControlDeps,
  tx: Tx,
  { by: { operatorId, name }, act: command }: Commanded,
): Promise<ReceiptView> {
  const { facts: more = {}, ...act } = command
  const seconds = await clockSeconds(tx)
  const who = { operator_id: operatorId, operator_name: name }
  const facts = { ...more, ...act, ...who, at: new Date(seconds * 1000).toISOString() }
  const subject = `act_${randomUUID()}`
  const about = { subject, kind: 'control_change', usage: 'operational', facts }
  return receiptView(await issueReceipt(deps, tx, { ...about, nowSeconds: seconds }))
}
