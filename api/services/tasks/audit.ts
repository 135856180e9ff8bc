import { digestOf } from '#domain/core/canonical-json.ts'
import { SERVICE_CHAIN } from '#domain/credit/usage-event.ts'
import {
  appendUsageEvent,
  findUsageEvent,
  lockUsageChain,
} from '../../../activities/store/credit/usage-events.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'

/** Records an event of a run in the usage ledger, in the chain of its credit; the same `subject` is recorded once. */
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
