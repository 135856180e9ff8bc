import { nextStepOf } from '#domain/pilots/pilot.ts'
import { findNextStep, type PilotEntryRow } from '../../../activities/store/pilots/entries.ts'
import type { PilotRow } from '../../../activities/store/pilots/pilots.ts'
import { findPilotRun, paymentOfRun } from '../../../activities/store/pilots/runs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listOffers } from '../../../activities/store/prospects/next-steps.ts'
import { findOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'

/** A pilot as its client and operators see it. */
export async function pilotView(tx: Tx, pilot: PilotRow) {
  const { state } = pilot
  const run = await findPilotRun(tx, { pilot_id: pilot.pilot_id })
  const { name, account_id, customer_account = null } = pilot.client
  const isReviewed = pilot.source === 'offer' && pilot.waiting_since !== null
  return {
    pilot_id: pilot.pilot_id,
    source: pilot.source,
    rail: pilot.rail,
    tier: pilot.tier,
    total_usd: pilot.total_usd,
    client: { name, account_id, customer_account },
    objective: pilot.objective,
    workflow_description: pilot.workflow_description,
    desired_start: pilot.desired_start,
    state,
    work_order_id: pilot.work_order_id,
    run_work_order_id: (run && (await findOrderOf(tx, run.task_id))) ?? null,
    runs: run === undefined ? [] : [runIdOf(run.task_id)],
    payment: run === undefined ? ('none' as const) : await paymentOfRun(tx, run.task_id),
    next_step:
      (await offeredStep(tx, pilot)) ??
      (await findNextStep(tx, pilot.pilot_id)) ??
      nextStepOf(isReviewed ? 'requested' : state),
    created_at: pilot.created_at.toISOString(),
  }
}

/** The paid next step by its quote, while it is offered. */
async function offeredStep(tx: Tx, { pilot_id, state }: PilotRow): Promise<string | undefined> {
  if (state !== 'paid_next_step_ready') return undefined
  const [offer] = await listOffers(tx, { key: 'pilot_id', ids: [pilot_id] })
  if (offer === undefined) return undefined
  const { quote_id, rail, tier, total_usd } = offer
  return `Pay the quote ${quote_id} of ${total_usd} usd for a ${rail} ${tier} run: POST /api/agent-rail-checkout with quote_id.`
}

export const entryView = (entry: PilotEntryRow) => ({
  entry_id: `pe_${entry.hash}`,
  number: entry.number,
  at: entry.at.toISOString(),
  author_role: entry.author_role,
  kind: entry.kind,
  text: entry.text,
  text_sha256: entry.text_sha256,
  next_step: entry.kind === 'next_step',
  due_at: entry.due_at?.toISOString() ?? null,
  prev_hash: entry.prev_hash,
})
