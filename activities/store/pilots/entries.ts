import { type Selectable, sql } from 'kysely'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { type AuthorRole, type EntryKind, pilotLimits } from '#domain/pilots/pilot.ts'
import { clockSeconds, type Tx } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'

export type PilotEntryRow = Selectable<Database['pilot_entries']>
export type NewEntry = {
  author_role: AuthorRole
  author: string
  kind: EntryKind
  text: string
  due_at: Date | null
}

const first = '0'.repeat(64)

/** Appends to what was said about a pilot, whose row is locked. A text: which limit it would exceed. */
export async function appendEntry(
  tx: Tx,
  pilotId: string,
  entry: NewEntry,
): Promise<PilotEntryRow | string> {
  const [last] = (await listEntries(tx, pilotId, { offset: 0, limit: 1 })).entries
  const number = (last?.number ?? 0) + 1
  const exceeded = await limitExceeded(tx, pilotId, { number, role: entry.author_role })
  if (exceeded !== undefined) return exceeded
  const at = new Date(Math.floor((await clockSeconds(tx)) * 1000))
  const prev_hash = last?.hash ?? first
  const said = { ...entry, text_sha256: sha256Hex(entry.text) }
  const hash = digestOf({
    pilot_id: pilotId,
    number,
    author_role: said.author_role,
    author: said.author,
    kind: said.kind,
    text_sha256: said.text_sha256,
    due_at: said.due_at?.toISOString() ?? null,
    at: at.toISOString(),
    prev_hash,
  })
  return tx
    .insertInto('pilot_entries')
    .values({ pilot_id: pilotId, number, ...said, prev_hash, hash, at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

async function limitExceeded(
  tx: Tx,
  pilotId: string,
  { number, role }: { number: number; role: AuthorRole },
): Promise<string | undefined> {
  const { entriesMax, entriesOfClientMax, entriesOfClientPerDay } = pilotLimits
  if (number > (role === 'client' ? entriesOfClientMax : entriesMax))
    return 'the conversation has as many entries as it may have'
  if (role !== 'client') return undefined
  const { today } = await tx
    .selectFrom('pilot_entries')
    .select(sql<number>`count(*)::int`.as('today'))
    .where('pilot_id', '=', pilotId)
    .where('author_role', '=', 'client')
    .where('at', '>', sql<Date>`clock_timestamp() - interval '1 day'`)
    .executeTakeFirstOrThrow()
  return today < entriesOfClientPerDay
    ? undefined
    : `a client has ${entriesOfClientPerDay} entries within a day`
}

/** The newest entries first, with the number of all. */
export async function listEntries(
  tx: Tx,
  pilotId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ entries: PilotEntryRow[]; total: number }> {
  const ofPilot = tx.selectFrom('pilot_entries').where('pilot_id', '=', pilotId)
  const entries = await ofPilot
    .selectAll()
    .orderBy('number', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  const { total } = await ofPilot
    .select(sql<number>`coalesce(max(number), 0)::int`.as('total'))
    .executeTakeFirstOrThrow()
  return { entries, total }
}

/** What an operator said last about the next step. */
export async function findNextStep(tx: Tx, pilotId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('pilot_entries')
    .select('text')
    .where('pilot_id', '=', pilotId)
    .where('kind', '=', 'next_step')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.text
}
