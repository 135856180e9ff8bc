import { digestOf } from '../../workflows/domain/canonical-json.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import type { RailKey } from '../../workflows/domain/rails/rail.ts'
import { CREDIT_UNIT, type recordedKinds, SERVICE_CHAIN, sampleUsageEvent } from '../../workflows/domain/usage-event.ts'
import { receiptView } from '../receipt-view.ts'
import { sampleOf } from '../sample.ts'
import { findTaskOfRun } from '../store/agent-runs.ts'
import { clockSeconds, type Tx } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import { answerOnce } from '../store/once.ts'
import { listMovementsOf, type PostedLeg } from '../store/postings.ts'
import { findReceipt } from '../store/receipts.ts'
import {
  appendUsageEvent,
  findUsageEvent,
  listUsageOf,
  lockUsageChain,
  type StoredUsageEvent,
  sumUsageOf,
  type UsageFilter,
} from '../store/usage-events.ts'
import { consumeCredit } from './credit.ts'
import type { MoneyDeps } from './deps.ts'
import { postingsOf } from './views.ts'

/** A use as its caller reports it; `units` of `usd_credit` consume credit of an entitlement that the agent has. */
export type UsageRecord = {
  callId: string
  agentId: string | undefined
  kind: (typeof recordedKinds)[number]
  rail?: RailKey | undefined
  units: number
  unit: string
  occurred_at?: string | undefined
  run_id?: string | undefined
  entitlement_id?: string | undefined
  subject?: string | undefined
}
type UsageDeps = Pick<MoneyDeps, 'db' | 'signReceipt' | 'issuer' | 'environment'>

/** How far a caller's clock may be ahead of ours. */
const CLOCK_SKEW_MS = 300_000

export type UsageLedger = ReturnType<typeof openUsageLedger>

/** The durable usage ledger as operations see it (endpoints.md §8). */
export function openUsageLedger(deps: UsageDeps) {
  const { db } = deps
  return {
    /** One event as the ledger would have it; it happened to nobody. */
    sample: () => {
      const at = Date.parse(sampleUsageEvent.recorded_at) / 1000
      return sampleOf(deps, { fixtureId: 'durable-usage-ledger', at, shown: { event: eventView(sampleUsageEvent) } })
    },

    record: (use: UsageRecord) => {
      const eventId = `ue_${digestOf({ call: use.callId })}`
      return answerOnce(deps, { callId: use.callId, subject: eventId, status: 200 }, async (tx) => {
        await assertOwn(tx, use)
        const event = await append(deps, tx, use, eventId)
        const { usage_receipt_id } = event
        const receipt = usage_receipt_id === null ? undefined : await findReceipt(tx, { receipt_id: usage_receipt_id })
        return {
          event: eventView(event),
          attribution: use.agentId === undefined ? 'unverified' : 'agent',
          receipt: receipt === undefined ? null : receiptView(receipt.jws),
        }
      })
    },

    /** The agent's own events, the newest first, with the movements of credit under each, and what they come to in all. */
    read: async (own: UsageFilter, { offset, limit }: { offset: number; limit: number }) => {
      const events = await listUsageOf(db, own, offset, limit)
      const movements = await listMovementsOf(
        db,
        events.flatMap(({ usage_receipt_id }) => usage_receipt_id ?? []),
      )
      const items = events.map((event) => ({ ...eventView(event), postings: postingsUnder(event, movements) }))
      const { total, ...totals } = await sumUsageOf(db, own)
      return { items, offset, limit, total, totals }
    },
  }
}

/** Nobody names the credit or the run of somebody else, and who is nobody names no credit. */
async function assertOwn(tx: Tx, { agentId, entitlement_id, run_id }: UsageRecord): Promise<void> {
  if (entitlement_id !== undefined) {
    if (agentId === undefined)
      throw refuse('credential_required', 'credit is used by its agent', 'Present your access key, or name no credit.')
    const entitlement = await findEntitlement(tx, entitlement_id)
    if (entitlement === undefined) throw refuse('not_found', 'no such entitlement', 'Check the entitlement id.')
    if (entitlement.agent_id !== agentId)
      throw refuse('not_owner', 'the entitlement belongs to another agent', 'Use your own entitlement.')
  }
  if (run_id === undefined || agentId === undefined) return
  const task = await findTaskOfRun(tx, run_id)
  if (task === undefined) throw refuse('not_found', 'no such run', 'Check the run id.')
  if (task.agent_id !== agentId)
    throw refuse('not_owner', 'the run belongs to another agent', 'Name a run of your own.')
}

async function append(deps: UsageDeps, tx: Tx, use: UsageRecord, event_id: string): Promise<StoredUsageEvent> {
  const { kind, units, unit, entitlement_id, run_id, subject } = use
  const now = new Date((await clockSeconds(tx)) * 1000)
  const occurredAt = use.occurred_at === undefined ? now : new Date(use.occurred_at)
  if (occurredAt.getTime() > now.getTime() + CLOCK_SKEW_MS)
    throw refuse('invalid_request', 'it has not occurred yet', 'Report it once it has.')
  if (entitlement_id !== undefined && unit === CREDIT_UNIT && units > 0) {
    const named = { ...(run_id === undefined ? {} : { runId: run_id }), ...(subject === undefined ? {} : { subject }) }
    return consumeCredit(deps, tx, {
      entitlementId: entitlement_id,
      key: use.callId,
      units,
      kind,
      occurredAt,
      ...named,
    })
  }
  const chain = entitlement_id ?? SERVICE_CHAIN
  await lockUsageChain(tx, chain)
  const earlier = await findUsageEvent(tx, event_id)
  if (earlier !== undefined) return earlier
  const event = {
    event_id,
    chain,
    kind,
    rail: use.rail ?? null,
    units,
    unit,
    credit_units: 0,
    occurred_at: occurredAt.toISOString(),
    agent_id: use.agentId ?? null,
    run_id: run_id ?? null,
    subject: subject ?? null,
    usage_receipt_id: null,
  }
  return appendUsageEvent(tx, event, now)
}

/** `at` is when it was recorded, and is hashed under the name `recorded_at`; what the hash is over besides stands here as it is. */
function eventView({ recorded_at, ...event }: StoredUsageEvent) {
  return { ...event, entitlement_id: event.chain === SERVICE_CHAIN ? null : event.chain, at: recorded_at }
}

const postingsUnder = ({ usage_receipt_id }: StoredUsageEvent, movements: readonly PostedLeg[]) =>
  postingsOf(movements.filter(({ receipt_id }) => receipt_id === usage_receipt_id))
