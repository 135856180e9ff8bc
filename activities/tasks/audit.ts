import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { SERVICE_CHAIN } from '../../workflows/domain/usage-event.ts'
import type { Tx } from '../store/db.ts'
import type { TaskRow } from '../store/tasks.ts'
import { appendUsageEvent, findUsageEvent, lockUsageChain } from '../store/usage-events.ts'
import { runIdOf } from './facts.ts'

/** Writes an act upon a run into the usage ledger, in the chain of its credit; `subject` names the act, which is written once. */
export async function recordAudit(
  tx: Tx,
  { task_id, agent_id, rail, entitlement_id }: TaskRow,
  { unit, subject, seconds }: { unit: string; subject: string; seconds: number },
): Promise<void> {
  const event_id = `ue_${digestOf({ audit: subject })}`
  const chain = entitlement_id ?? SERVICE_CHAIN
  await lockUsageChain(tx, chain)
  if ((await findUsageEvent(tx, event_id)) !== undefined) return
  const at = new Date(seconds * 1000)
  const amount = { units: 1, unit, credit_units: 0, usage_receipt_id: null }
  const about = { agent_id, run_id: runIdOf(task_id), rail, subject, occurred_at: at.toISOString() }
  await appendUsageEvent(tx, { event_id, chain, kind: 'audit', ...amount, ...about }, at)
}
