import { refuse } from '#domain/core/errors.ts'
import { type EntryKind, hasEnded } from '#domain/pilots/pilot.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  appendEntry,
  listEntries,
  type NewEntry,
} from '../../../activities/store/pilots/entries.ts'
import {
  type PilotRow,
  requireLockedPilot,
  requirePilot,
} from '../../../activities/store/pilots/pilots.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { Page } from '../../../activities/store/postgres/rows.ts'
import type { PilotDeps } from './pilots.ts'
import { entryView, pilotView } from './views.ts'

export type Said = { kind: EntryKind; text: string; due_at: string | null }
type Author = Pick<NewEntry, 'author_role' | 'author'>

/** What clients and operators say to each other about a pilot. */
export class PilotConversations {
  private readonly deps: Pick<PilotDeps, 'db'>

  constructor(deps: Pick<PilotDeps, 'db'>) {
    this.deps = deps
  }

  /** The newest entries first; 404. */
  read(pilotId: string, page: Page) {
    return transaction(this.deps.db, async (tx) => {
      const pilot = await pilotView(tx, await requirePilot(tx, pilotId))
      const { entries, total } = await listEntries(tx, pilotId, page)
      return { pilot, entries: entries.map(entryView), ...page, total, next_step: pilot.next_step }
    })
  }

  /** 404, 409 `wrong_state` for a pilot that has ended, 429 for one entry too many. */
  add(pilotId: string, author: Author, said: Said, callId: string) {
    return answerOnce(this.deps, { callId, subject: pilotId, status: 201 }, async (tx) => {
      const pilot = await lockOpenPilot(tx, pilotId)
      const entry = await say(tx, pilotId, author, said)
      return { entry: entryView(entry), pilot: await pilotView(tx, pilot) }
    })
  }
}

/** A pilot that has not ended, locked; 404, 409 `wrong_state`. */
async function lockOpenPilot(tx: Tx, pilotId: string): Promise<PilotRow> {
  const pilot = await requireLockedPilot(tx, pilotId)
  if (hasEnded(pilot.state)) throw refuse('wrong_state', { detail: `the pilot is ${pilot.state}` })
  return pilot
}

/** Appends an entry to a locked pilot; 429. */
export async function say(tx: Tx, pilotId: string, author: Author, { due_at, ...said }: Said) {
  const due = due_at === null ? null : new Date(due_at)
  const entry = await appendEntry(tx, pilotId, { ...author, ...said, due_at: due })
  if (typeof entry !== 'string') return entry
  throw refuse('rate_limited', {
    detail: entry,
    next_action: 'Wait for an answer of the operator.',
    retry_after_ms: 24 * 3_600_000,
  })
}
