import { refuse } from '#domain/core/errors.ts'
import type { PilotState } from '#domain/pilots/pilot.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { listEntries } from '../../../activities/store/pilots/entries.ts'
import {
  changePilot,
  countWaitingPilots,
  findPilot,
  listWaitingPilots,
  lockPilot,
  type PilotRow,
  type WaitingPilot,
} from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import {
  decideWorkOrder,
  lockWorkOrder,
} from '../../../activities/store/work-orders/work-orders.ts'
import { entryView, pilotView } from '../pilots/views.ts'
import { unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

const ENTRIES_SHOWN = 100

/** Pilots that clients or their agents ask for, and invitations without an answer. The run of an activated pilot has a review of its own. */
export const pilotSubject: ReviewSubject = {
  kind: 'pilot',
  list: async (tx, filter, most) =>
    (await listWaitingPilots(tx, filter, most)).map((pilot) => ({
      since: pilot.waiting_since,
      describe: async () => listed(pilot),
    })),
  count: countWaitingPilots,
  evidence: async (tx, pilotId) => {
    const pilot = await findPilot(tx, { pilot_id: pilotId })
    if (pilot === undefined) return undefined
    return {
      since: pilot.waiting_since ?? pilot.state_since,
      content: await contentOf(tx, pilot),
    }
  },
  decide: async (tx, { subjectId: pilotId, decision, decisionId }, assert) => {
    const pilot = await lockPilot(tx, pilotId)
    if (pilot === undefined) throw unknownSubject('no such pilot')
    await assert.waitsSince(pilot.waiting_since ?? undefined)
    const state = afterDecision(pilot)[decision]
    if (state === undefined)
      throw refuse('wrong_state', {
        detail: `the pilot is ${pilot.state}`,
        next_action: `Allowed: ${allowedOn(pilot).join(', ') || 'nothing'}.`,
        extra: { allowed_decisions: allowedOn(pilot) },
      })
    await assert.evidenceSeen()
    const decided = { state, decision_id: decisionId, waiting_since: null }
    const view = await pilotView(tx, await changePilot(tx, pilotId, decided))
    await decideOrder(tx, pilot, { decision, decision_id: decisionId })
    return { state, view, facts: { pilot_state: state, work_order_id: pilot.work_order_id } }
  },
}

type Decided = Partial<Record<Decision, PilotState>>

/** The state after each decision that is allowed now. */
function afterDecision({ state, waiting_since }: PilotRow): Decided {
  if (waiting_since === null) return {}
  if (state === 'requested') return { approve: 'activated', reject: 'rejected' }
  if (state === 'accepted') return { approve: 'activated', reject: 'closed' }
  return { reject: 'closed' }
}

const allowedOn = (pilot: PilotRow) => Object.keys(afterDecision(pilot)) as Decision[]

/** The order of an intake is decided with it. */
async function decideOrder(
  tx: Tx,
  { work_order_id, state }: PilotRow,
  { decision, decision_id }: { decision: Decision; decision_id: string },
): Promise<void> {
  if (work_order_id === null || state !== 'requested') return
  if ((await lockWorkOrder(tx, work_order_id))?.decision !== null) return
  const decided = decision === 'approve' ? 'approve' : 'reject'
  await decideWorkOrder(tx, work_order_id, { decision: decided, decision_id })
}

async function contentOf(tx: Tx, pilot: PilotRow) {
  const { pilot_id, source, rail, tier, client, objective, agent_id, total_usd } = pilot
  const { workflow_description, desired_start, work_order_id, state } = pilot
  const { entries, total } = await listEntries(tx, pilot_id, { offset: 0, limit: ENTRIES_SHOWN })
  return {
    request: { source, client, objective, workflow_description, desired_start, work_order_id },
    agent: agent_id === null ? undefined : await agentEvidence(tx, agent_id),
    price: { rail, tier, total_usd },
    terms: pilot.terms_sha256 && {
      terms_sha256: pilot.terms_sha256,
      expires_at: pilot.expires_at?.toISOString(),
    },
    history: { state, entries_total: total, newest_entries: entries.map(entryView) },
  }
}

function listed(pilot: WaitingPilot): WaitingSubject {
  const { pilot_id, source, rail, tier, client, objective, state, expires_at } = pilot
  const who = `${client.name} (${client.contact ?? 'no contact'})`
  const begin = [...objective].slice(0, 200).join('')
  const unanswered = `${who} has not answered the invitation to a ${rail} ${tier} pilot, which ends at ${expires_at?.toISOString()}`
  return {
    subject_kind: 'pilot',
    subject_id: pilot_id,
    state,
    waiting_since: pilot.waiting_since.toISOString(),
    rail,
    summary:
      source === 'invitation' ? unanswered : `${who} asks for a ${rail} ${tier} pilot: ${begin}`,
    evidence_links: [
      { host: 'base', path: `/api/pilot-conversation-tracker?pilot_id=${pilot_id}` },
    ],
    amount_usd: pilot.total_usd,
    allowed_decisions: allowedOn(pilot),
  }
}
