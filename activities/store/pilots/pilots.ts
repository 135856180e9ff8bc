import { type Insertable, sql, type Updateable } from 'kysely'
import { type PilotState, pilotLimits } from '#domain/pilots/pilot.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { record } from '../postgres/record.ts'
import {
  countEach,
  countOf,
  countRows,
  findRow,
  insertNew,
  isGiven,
  now,
  type Page,
  type Row,
  readPage,
  readRows,
  requireRow,
} from '../postgres/rows.ts'
import type { ReviewFilter } from '../reviews/review-decisions.ts'
import { amountOf, waitingAs } from '../reviews/waiting-filter.ts'
import type { Database } from '../schema/schema.ts'

type Stored = Row<'pilots'>
/** A pilot in its state of now, which for one that is ready for its paid next step follows from its payments. */
export type PilotRow = Omit<Stored, 'state'> & { state: PilotState }
type NewPilot = Omit<Insertable<Database['pilots']>, 'state' | 'waiting_since'>
type Changed = Omit<Updateable<Database['pilots']>, 'state_since'>

const pilots = record('pilots', 'pilot_id', 'pilot')
export const noPilot = pilots.unknown

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
  const inserted = await insertNew(tx, 'pilots', {
    ...pilot,
    state: firstStates[pilot.source],
    // An invitation waits for its client, and of a controlled pilot only the order is decided.
    waiting_since: isDecidedElsewhere ? null : now,
  })
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

const closeForgotten = (tx: Tx) =>
  sql`update pilots
  set state = 'closed', waiting_since = null, state_since = clock_timestamp()
  where state = 'requested' and state_since < ${ago(24 * pilotLimits.requestedDays)}`.execute(tx)

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

export async function findPilot(tx: Tx, by: By): Promise<PilotRow | undefined> {
  const row = await findRow(tx, 'pilots', by)
  return row && asNow(tx, row)
}

/** The row, locked for the rest of the transaction. */
export async function lockPilot(tx: Tx, pilotId: string): Promise<PilotRow | undefined> {
  const row = await pilots.lock(tx, pilotId)
  return row && asNow(tx, row)
}

/** Throws 404. */
export const requirePilot = async (tx: Tx, pilotId: string): Promise<PilotRow> =>
  asNow(tx, await pilots.require(tx, pilotId))

/** The row, locked for the rest of the transaction. Throws 404. */
export const requireLockedPilot = async (tx: Tx, pilotId: string): Promise<PilotRow> =>
  asNow(tx, await pilots.requireLocked(tx, pilotId))

/** A row that was read in the state of now. */
async function asNow(tx: Tx, row: Stored): Promise<PilotRow> {
  if (row.state !== 'paid_next_step_ready') return row
  const { state_now } = await requireRow(tx, 'pilots_now', { pilot_id: row.pilot_id })
  return { ...row, state: state_now }
}

const pilotsNow = sql`from pilots join pilots_now using (pilot_id)`
/** The columns of `PilotRow`: the state of now comes after the stored one. */
const columns = sql`pilots.*, state_now as state`
const newestFirst = sql`created_at desc, pilot_id`

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
  const since = changed.state === undefined ? {} : { state_since: now }
  return pilots.change(tx, pilotId, { ...changed, ...since })
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
  const { rows } = await sql<{ state_now: string; count: number }>`
    select state_now, count(*)::int as count ${pilotsNow}
    where state = 'paid_next_step_ready' group by state_now`.execute(tx)
  return Object.fromEntries(rows.map(({ state_now, count }) => [state_now, count]))
}

/** The newest pilots of an agent. */
export function listPilotsOf(tx: Tx, agentId: string, most: number): Promise<PilotRow[]> {
  const from = sql`${pilotsNow} where agent_id = ${agentId}`
  return readRows(tx, { columns, from, order: newestFirst }, { offset: 0, limit: most })
}

/** How many offers of an agent wait for a decision. */
export const countOffersOf = (tx: Tx, agentId: string): Promise<number> =>
  countOf(
    tx.selectFrom('pilots').where('waiting_since', 'is not', null).where('agent_id', '=', agentId),
  )

export type PilotFilter = {
  /** An id of a pilot, agent or order, or a part of the name of its client. */
  text?: string | undefined
  rail?: RailKey | undefined
  states?: readonly PilotState[] | undefined
  source?: PilotRow['source'] | undefined
}

const named = (text: string) =>
  sql<boolean>`(pilot_id = ${text} or agent_id = ${text} or work_order_id = ${text}
    or strpos(lower(client->>'name'), lower(${text})) > 0)`

/** The pilots of every source, the newest first, with their number. */
export function listPilots(
  tx: Tx,
  { text, rail, states, source }: PilotFilter,
  page: Page,
): Promise<{ rows: PilotRow[]; total: number }> {
  const from = sql`${pilotsNow} where ${text === undefined ? sql`true` : named(text)}
    and ${isGiven('rail', rail)} and ${isGiven('source', source)}
    and ${states === undefined ? sql`true` : sql`state_now = any(${[...states]})`}`
  return readPage(tx, { columns, from, order: newestFirst }, page)
}

/** Without a name or a state only what waits; with one also what an operator can close. */
const waiting = ({ subjectId, state, rail, ...waits }: ReviewFilter) => sql`${pilotsNow}
  where ${subjectId === undefined && state === undefined ? sql`waiting_since is not null` : isOpen}
    and ${waitingAs(waits, { since: 'waiting_since', amount: amountOf('total_usd') })}
    and ${isGiven('pilot_id', subjectId)} and ${isGiven('state_now', state)} and ${isGiven('rail', rail)}`

const isOpen = sql<boolean>`state not in ('declined', 'expired', 'rejected', 'closed')`

/** Pilots that wait for a decision, longest waiting first. */
export const waitingPilots = {
  list: (tx: Tx, filter: ReviewFilter, most: number): Promise<PilotRow[]> => {
    const order = sql`coalesce(waiting_since, state_since), pilot_id`
    return readRows(tx, { columns, from: waiting(filter), order }, { offset: 0, limit: most })
  },
  count: async (tx: Tx, filter: ReviewFilter): Promise<number> => countRows(tx, waiting(filter)),
}
