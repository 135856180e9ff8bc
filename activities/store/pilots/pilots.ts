import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { type PilotState, pilotLimits } from '#domain/pilots/pilot.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { countEach, countOf, findRow, lockRow, requireRow } from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { amountOf, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'

type Stored = Selectable<Database['pilots']>
/** A pilot in its state of now, which for one that is ready for its paid next step follows from its payments. */
export type PilotRow = Omit<Stored, 'state'> & { state: PilotState }
type NewPilot = Omit<Insertable<Database['pilots']>, 'state' | 'waiting_since'>
type Changed = Omit<Updateable<Database['pilots']>, 'state_since'>

/**
 * Stores a pilot once; false where it was stored before. `too_many_waiting`: so many intakes of the last day wait for a decision;
 * an older one gives way.
 */
export async function insertPilot(tx: Tx, pilot: NewPilot): Promise<boolean | 'too_many_waiting'> {
  if (pilot.source === 'intake') {
    await sql`select pg_advisory_xact_lock(hashtextextended('pilots', 0))`.execute(tx)
    if ((await findPilot(tx, { pilot_id: pilot.pilot_id })) !== undefined) return false
    await closeForgotten(tx)
    const { requested } = await countPilots(tx, ['requested'])
    if (requested >= pilotLimits.waitingMax && !(await closeOldest(tx))) return 'too_many_waiting'
  }
  const isDecidedElsewhere = pilot.source === 'invitation' || pilot.source === 'controlled'
  const inserted = await tx
    .insertInto('pilots')
    .values({
      ...pilot,
      state: firstStates[pilot.source],
      // An invitation waits for its client, and of a controlled pilot only the order is decided.
      waiting_since: isDecidedElsewhere ? null : sql<Date>`clock_timestamp()`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('pilot_id')
    .executeTakeFirst()
  return inserted !== undefined
}

const firstStates = {
  intake: 'requested',
  invitation: 'invited',
  offer: 'accepted',
  controlled: 'activated',
} as const

const closed = { state: 'closed', waiting_since: null } as const
const ago = (hours: number) => sql<Date>`clock_timestamp() - ${hours} * interval '1 hour'`

async function closeForgotten(tx: Tx): Promise<void> {
  await tx
    .updateTable('pilots')
    .set({ ...closed, state_since: sql<Date>`clock_timestamp()` })
    .where('state', '=', 'requested')
    .where('state_since', '<', ago(24 * pilotLimits.requestedDays))
    .execute()
}

/** Closes the intake that has waited longest, unless it is younger than a day or is being decided; false where none was closed. */
async function closeOldest(tx: Tx): Promise<boolean> {
  const oldest = await tx
    .selectFrom('pilots')
    .select('pilot_id')
    .where('state', '=', 'requested')
    .where('state_since', '<', ago(pilotLimits.givesWayHours))
    .orderBy('state_since')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (oldest !== undefined) await changePilot(tx, oldest.pilot_id, closed)
  return oldest !== undefined
}

type By = { pilot_id: string } | { status_token_sha256: string } | { work_order_id: string }

export const findPilot = async (tx: Tx, by: By) => asNow(tx, await findRow(tx, 'pilots', by))

/** The row, locked for the rest of the transaction. */
export const lockPilot = async (tx: Tx, pilotId: string) =>
  asNow(tx, await lockRow(tx, 'pilots', { pilot_id: pilotId }))

/** A row that was read in the state of now. */
async function asNow(tx: Tx, row: Stored | undefined): Promise<PilotRow | undefined> {
  if (row?.state !== 'paid_next_step_ready') return row
  const { state_now } = await requireRow(tx, 'pilots_now', { pilot_id: row.pilot_id })
  return { ...row, state: state_now }
}

const pilotsNow = (tx: Tx) =>
  tx.selectFrom('pilots').innerJoin('pilots_now', 'pilots_now.pilot_id', 'pilots.pilot_id')

const newestFirst = (query: ReturnType<typeof pilotsNow>) =>
  query
    .selectAll('pilots')
    .select('state_now')
    .orderBy('created_at', 'desc')
    .orderBy('pilots.pilot_id')

type Now = Stored & { state_now: PilotState }
const inStateOfNow = ({ state_now, ...row }: Now): PilotRow => ({ ...row, state: state_now })

const invitedShown = ['pilot_id', 'rail', 'tier', 'state', 'expires_at'] as const
export type InvitedPilot = Pick<Stored, (typeof invitedShown)[number]> & { isOpen: boolean }

/** The last pilots that a prospect was invited to, the newest first; one is open while it can be answered. */
export const listInvited = (tx: Tx, prospectId: string): Promise<InvitedPilot[]> =>
  tx
    .selectFrom('pilots')
    .select(invitedShown)
    .select(sql<boolean>`state = 'invited' and expires_at > now()`.as('isOpen'))
    .where('prospect_id', '=', prospectId)
    .orderBy('created_at', 'desc')
    .orderBy('pilot_id')
    .limit(25)
    .execute()

/** Changes a locked pilot; a new state begins now. */
export function changePilot(tx: Tx, pilotId: string, changed: Changed): Promise<PilotRow> {
  const since =
    changed.state === undefined ? {} : { state_since: sql<Date>`clock_timestamp()` as never }
  return tx
    .updateTable('pilots')
    .set({ ...changed, ...since })
    .where('pilot_id', '=', pilotId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** How many pilots are in each of these stored states, each up to `COUNTED_MAX`. */
export async function countPilots<State extends Stored['state']>(
  tx: Tx,
  states: readonly State[],
): Promise<Record<State, number>> {
  const counted = await countEach(tx, states, sql`select from pilots where state = value`)
  const counts = states.map((state) => [state, counted[state] ?? 0])
  return Object.fromEntries(counts) as Record<State, number>
}

/** How many pilots that had an offer are ready for its payment, and how many have converted. */
export async function countPaidPilots(tx: Tx): Promise<Record<string, number>> {
  const rows = await pilotsNow(tx)
    .select(['state_now', sql<number>`count(*)::int`.as('count')])
    .where('state', '=', 'paid_next_step_ready')
    .groupBy('state_now')
    .execute()
  return Object.fromEntries(rows.map(({ state_now, count }) => [state_now, count]))
}

/** The newest pilots of an agent. */
export async function listPilotsOf(tx: Tx, agentId: string, most: number): Promise<PilotRow[]> {
  const rows = await newestFirst(pilotsNow(tx).where('agent_id', '=', agentId))
    .limit(most)
    .execute()
  return rows.map(inStateOfNow)
}

/** How many offers of an agent wait for a decision. */
export async function countOffersOf(tx: Tx, agentId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('pilots')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('waiting_since', 'is not', null)
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow()
  return count
}

export type PilotFilter = {
  /** An id of a pilot, agent or order, or a part of the name of its client. */
  text?: string | undefined
  rail?: RailKey | undefined
  states?: readonly PilotState[] | undefined
  source?: PilotRow['source'] | undefined
}

const named = (text: string) =>
  sql<boolean>`(pilots.pilot_id = ${text} or agent_id = ${text} or work_order_id = ${text}
    or strpos(lower(client->>'name'), lower(${text})) > 0)`

/** The pilots of every source, the newest first, with their number. */
export async function listPilots(
  tx: Tx,
  { text, rail, states, source }: PilotFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: PilotRow[]; total: number }> {
  const filtered = pilotsNow(tx)
    .$if(text !== undefined, (query) => query.where(named(String(text))))
    .$if(rail !== undefined, (query) => query.where('rail', '=', rail as RailKey))
    .$if(states !== undefined, (query) => query.where('state_now', 'in', states ?? []))
    .$if(source !== undefined, (query) => query.where('source', '=', source as PilotRow['source']))
  const rows = await newestFirst(filtered).offset(offset).limit(limit).execute()
  return { rows: rows.map(inStateOfNow), total: await countOf(filtered) }
}

const waiting = (tx: Tx, { subjectId, state, rail, ...waits }: ReviewFilter) =>
  pilotsNow(tx)
    // Without a name or a state only what waits is listed.
    .$if(subjectId === undefined && state === undefined, (query) =>
      query.where('waiting_since', 'is not', null),
    )
    .$if(subjectId !== undefined || state !== undefined, (query) => query.where(isOpen))
    .where(waitingAs(waits, { since: 'waiting_since', amount: amountOf('total_usd') }))
    .$if(subjectId !== undefined, (query) => query.where('pilots.pilot_id', '=', String(subjectId)))
    .$if(state !== undefined, (query) => query.where(sql<boolean>`state_now = ${state}`))
    .$if(rail !== undefined, (query) => query.where(sql<boolean>`rail = ${rail}`))

const isOpen = sql<boolean>`state not in ('declined', 'expired', 'rejected', 'closed')`

/** Pilots that wait for a decision, longest waiting first; of a name or a state also those that an operator can close. */
export async function listWaitingPilots(
  tx: Tx,
  filter: ReviewFilter,
  most: number,
): Promise<PilotRow[]> {
  const rows = await waiting(tx, filter)
    .selectAll('pilots')
    .select('state_now')
    .orderBy(sql`coalesce(waiting_since, state_since)`)
    .orderBy('pilots.pilot_id')
    .limit(most)
    .execute()
  return rows.map(inStateOfNow)
}

export async function countWaitingPilots(tx: Tx, filter: ReviewFilter): Promise<number> {
  return countOf(waiting(tx, filter))
}
