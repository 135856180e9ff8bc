import { type Selectable, sql } from 'kysely'
import { type Candidate, type CandidateState, candidateId } from '#domain/resolver/candidate.ts'
import type { Inspection } from '#domain/resolver/inspection.ts'
import { notifyChanged } from '../postgres/changes.ts'
import { type Tx, transaction } from '../postgres/db.ts'

import { changeRow, findRow, listRows, lockRow, now, updateRows } from '../postgres/rows.ts'
import { waitingRows } from '../reviews/waiting.ts'
import type { Database } from '../schema/schema.ts'

export type ServiceRow = Selectable<Database['services']>
/** How many new services of one host may come within a day, and how many may wait for a decision: in all, and of this sender. */
type CandidateBounds = {
  readonly hostDayMax: number
  readonly waitingMax: number
  readonly senderMax: number
}

/** Undecided services are forgotten after so long. */
const KEEP = sql`interval '30 days'`

/**
 * Stores a service as it was described, unless it is known. Returns why it cannot be stored: too many of its host came within a day, or
 * too many wait for a decision, in all or of its sender. All senders without an agent are one.
 */
export function observeCandidate(
  db: Tx,
  { candidate, agentId }: { candidate: Candidate; agentId: string | undefined },
  { hostDayMax, waitingMax, senderMax }: CandidateBounds,
): Promise<ServiceRow | 'too_many_of_host' | 'too_many_of_sender' | 'too_many_waiting'> {
  const service_id = candidateId(candidate)
  return transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('services', 0))`.execute(tx)
    const known = await findService(tx, service_id)
    if (known !== undefined) return known
    await sql`delete from services where state = 'observed' and submitted_at < clock_timestamp() - ${KEEP}`.execute(
      tx,
    )
    const { hostname: host } = new URL(candidate.url)
    const { of_host, of_sender, waiting } = await countCandidates(tx, { host, agentId })
    if (of_host >= hostDayMax) return 'too_many_of_host'
    if (of_sender >= senderMax) return 'too_many_of_sender'
    if (waiting >= waitingMax) return 'too_many_waiting'
    const { name, url, description = null, protocols, schema } = candidate
    return tx
      .insertInto('services')
      .values({
        service_id,
        name,
        url,
        host,
        description,
        protocols: JSON.stringify(protocols),
        schema: schema === undefined ? null : JSON.stringify(schema),
        agent_id: agentId ?? null,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

type CandidateCounts = { of_host: number; of_sender: number; waiting: number }

async function countCandidates(
  tx: Tx,
  { host, agentId }: { host: string; agentId: string | undefined },
): Promise<CandidateCounts> {
  const { rows } = await sql<CandidateCounts>`
    select (select count(*) from services where host = ${host} and submitted_at > clock_timestamp() - interval '1 day')::integer as of_host,
      (select count(*) from services where state = 'observed' and agent_id is not distinct from ${agentId ?? null})::integer as of_sender,
      (select count(*) from services where state = 'observed')::integer as waiting`.execute(tx)
  return rows[0] ?? { of_host: 0, of_sender: 0, waiting: 0 }
}

export const findService = (tx: Tx, serviceId: string) =>
  findRow(tx, 'services', { service_id: serviceId })

/** The row, locked for the rest of the transaction. */
export const lockService = (tx: Tx, serviceId: string) =>
  lockRow(tx, 'services', { service_id: serviceId })

/** Claims the inspection of an undecided service that has none of the last hour; false where another process makes it. */
export async function beginInspection(tx: Tx, serviceId: string): Promise<boolean> {
  const begun = await tx
    .updateTable('services')
    .set({ inspection_began_at: now })
    .where('service_id', '=', serviceId)
    .where('state', '=', 'observed')
    .where(
      sql<boolean>`(inspected_at is null or inspected_at < clock_timestamp() - interval '1 hour')
        and (inspection_began_at is null or inspection_began_at < clock_timestamp() - interval '20 seconds')`,
    )
    .returning('service_id')
    .executeTakeFirst()
  return begun !== undefined
}

/** Gives a claimed inspection back, which any process may begin then. */
export const giveBackInspection = (tx: Tx, serviceId: string) =>
  updateRows(tx, 'services', { service_id: serviceId }, { inspection_began_at: null })

/** Stores an inspection of a service that is still undecided, and wakes the calls that wait for it. */
export function endInspection(db: Tx, serviceId: string, inspection: Inspection): Promise<void> {
  return transaction(db, async (tx) => {
    await tx
      .updateTable('services')
      .set({
        inspection: JSON.stringify(inspection),
        inspected_at: now,
        inspection_began_at: null,
      })
      .where('service_id', '=', serviceId)
      .where('state', '=', 'observed')
      .execute()
    await notifyChanged(tx, serviceId)
  })
}

export function decideService(
  tx: Tx,
  serviceId: string,
  decided: { state: CandidateState; decision_id: string },
): Promise<ServiceRow> {
  const change = { ...decided, state_since: now }
  return changeRow(tx, 'services', { service_id: serviceId }, change)
}

/** Approved services, the newest first. */
export const listApproved = (tx: Tx, most: number) =>
  listRows(tx, 'services', { state: 'approved' }, ['state_since desc', 'service_id'], most)

/** Services that wait for a decision. */
export const waitingServices = waitingRows('services', {
  key: 'service_id',
  state: ['state', 'observed'],
  since: 'state_since',
})
