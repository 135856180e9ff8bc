import { nextStepOf } from '#domain/pilots/pilot.ts'
import { findNextStep, type PilotEntryRow } from '../../../activities/store/pilots/entries.ts'
import type { PilotRow } from '../../../activities/store/pilots/pilots.ts'
import { findPilotRun, paymentOfRun } from '../../../activities/store/pilots/runs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { listOffers } from '../../../activities/store/prospects/next-steps.ts'
import { findOrderOf } from '../../../activities/store/work-orders/work-orders.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { Pilot, PilotEntry } from '../../shapes/pilots.ts'
import { viewOf } from '../../view.ts'

/** A pilot as its client and operators see it. */
export async function pilotView(tx: Tx, pilot: PilotRow) {
  const run = await findPilotRun(tx, { pilot_id: pilot.pilot_id })
  const { name, account_id, customer_account = null } = pilot.client
  const isReviewed = pilot.source === 'offer' && pilot.waiting_since !== null
  return viewOf(Pilot, {
    ...pilot,
    client: { name, account_id, customer_account },
    run_work_order_id: (run && (await findOrderOf(tx, run.task_id))) ?? null,
    runs: run === undefined ? [] : [runIdOf(run.task_id)],
    payment: run === undefined ? 'none' : await paymentOfRun(tx, run.task_id),
    next_step:
      (await offeredStep(tx, pilot)) ??
      (await findNextStep(tx, pilot.pilot_id)) ??
      nextStepOf(isReviewed ? 'requested' : pilot.state),
  })
}

/** The paid next step by its quote, while it is offered. */
async function offeredStep(tx: Tx, { pilot_id, state }: PilotRow): Promise<string | undefined> {
  if (state !== 'paid_next_step_ready') return undefined
  const [offer] = await listOffers(tx, { key: 'pilot_id', ids: [pilot_id] })
  if (offer === undefined) return undefined
  const { quote_id, rail, tier, total_usd } = offer
  return `Pay the quote ${quote_id} of ${total_usd} usd for a ${rail} ${tier} run: POST /api/agent-rail-checkout with quote_id.`
}

export const entryView = (entry: PilotEntryRow) =>
  viewOf(PilotEntry, {
    ...entry,
    entry_id: `pe_${entry.hash}`,
    next_step: entry.kind === 'next_step',
  })
