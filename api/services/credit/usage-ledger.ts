import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import {
  CREDIT_UNIT,
  type recordedKinds,
  SERVICE_CHAIN,
  sampleUsageEvent,
} from '#domain/credit/usage-event.ts'
import { isRail, type RailKey } from '#domain/rails/rail.ts'
import { consumeCredit } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { listMovementsOf, type PostedLeg } from '../../../activities/store/credit/postings.ts'
import {
  appendUsageEvent,
  findUsageEvent,
  listUsageOf,
  lockUsageChain,
  type StoredUsageEvent,
  sumUsageOf,
  type UsageFilter,
} from '../../../activities/store/credit/usage-events.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import { findTaskOfRun } from '../../../activities/store/runs/agent-runs.ts'
import type { Samples } from '../receipts/sample.ts'
import { postingsOf } from './views.ts'

/** A use as its caller reports it; `units` of `usd_credit` consume credit of an entitlement of the agent. */
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
type UsageDeps = Pick<MoneyDeps, 'db' | 'signReceipt' | 'issuer' | 'environment'> & {
  samples: Samples
}

/** How far a caller's clock may be ahead of ours. */
const CLOCK_SKEW_MS = 300_000

/** The durable usage ledger as operations see it. */
export class UsageLedger {
  private readonly deps: UsageDeps

  constructor(deps: UsageDeps) {
    this.deps = deps
  }

  /** One invented event as the ledger would record it. */
  sample() {
    const at = Date.parse(sampleUsageEvent.recorded_at) / 1000
    const shown = { event: eventView(sampleUsageEvent) }
    return this.deps.samples.once('durable-usage-ledger', ({ sign }) => sign({ at, shown }))
  }

  record(use: UsageRecord) {
    const eventId = eventIdOf(use)
    return answerOnce(
      this.deps,
      { callId: use.callId, subject: eventId, status: 200 },
      async (tx) => {
        await assertOwn(tx, use)
        const event = await append(this.deps, tx, use)
        const { usage_receipt_id } = event
        const receipt =
          usage_receipt_id === null
            ? undefined
            : await findReceipt(tx, { receipt_id: usage_receipt_id })
        return {
          event: eventView(event),
          attribution: attributionOf(use),
          receipt: receipt === undefined ? null : receiptView(receipt.jws),
        }
      },
    )
  }

  /** The agent's own events, the newest first, with the movements of credit under each, and what they come to in all. */
  async read(own: UsageFilter, { offset, limit }: { offset: number; limit: number }) {
    const { db } = this.deps
    const events = await listUsageOf(db, own, offset, limit)
    const movements = await listMovementsOf(
      db,
      events.flatMap(({ usage_receipt_id }) => usage_receipt_id ?? []),
    )
    const items = events.map((event) => ({
      ...eventView(event),
      postings: postingsUnder(event, movements),
    }))
    const { total, ...totals } = await sumUsageOf(db, own)
    return { items, offset, limit, total, totals }
  }
}

function attributionOf({ agentId }: UsageRecord): 'agent' | 'unverified' {
  return agentId === undefined ? 'unverified' : 'agent'
}

const eventIdOf = ({ callId }: UsageRecord): string => `ue_${digestOf({ call: callId })}`

/** Refuses the credit or run of another agent, and credit without an agent. */
async function assertOwn(tx: Tx, { agentId, entitlement_id, run_id }: UsageRecord): Promise<void> {
  if (entitlement_id !== undefined) {
    if (agentId === undefined)
      throw refuse('credential_required', {
        detail: 'credit is used by its agent',
        next_action: 'Present your access key, or name no credit.',
      })
    const entitlement = await findEntitlement(tx, entitlement_id)
    if (entitlement === undefined)
      throw refuse('not_found', {
        detail: 'no such entitlement',
      })
    if (entitlement.agent_id !== agentId)
      throw refuse('not_owner', {
        detail: 'the entitlement belongs to another agent',
      })
    if (!isRail(entitlement.rail))
      throw refuse('wrong_state', { detail: `the credit is for a ${entitlement.rail} alone` })
  }
  if (run_id === undefined || agentId === undefined) return
  const task = await findTaskOfRun(tx, run_id)
  if (task === undefined) throw refuse('not_found', { detail: 'no such run' })
  if (task.agent_id !== agentId)
    throw refuse('not_owner', {
      detail: 'the run belongs to another agent',
    })
}

async function append(deps: UsageDeps, tx: Tx, use: UsageRecord): Promise<StoredUsageEvent> {
  const { kind, units, unit, entitlement_id, run_id, subject } = use
  const event_id = eventIdOf(use)
  const now = new Date((await clockSeconds(tx)) * 1000)
  const occurredAt = use.occurred_at === undefined ? now : new Date(use.occurred_at)
  if (occurredAt.getTime() > now.getTime() + CLOCK_SKEW_MS)
    throw refuse('invalid_request', {
      detail: 'it has not occurred yet',
      next_action: 'Report it once it has.',
    })
  if (entitlement_id !== undefined && unit === CREDIT_UNIT && units > 0) {
    const named = {
      ...(run_id === undefined ? {} : { runId: run_id }),
      ...(subject === undefined ? {} : { subject }),
    }
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

/** `at` is the time of recording, which the hash covers under the name `recorded_at`; all other hashed fields keep their names. */
export function eventView({ recorded_at, ...event }: StoredUsageEvent) {
  return {
    ...event,
    entitlement_id: event.chain === SERVICE_CHAIN ? null : event.chain,
    at: recorded_at,
  }
}

const postingsUnder = ({ usage_receipt_id }: StoredUsageEvent, movements: readonly PostedLeg[]) =>
  postingsOf(movements.filter(({ receipt_id }) => receipt_id === usage_receipt_id))
