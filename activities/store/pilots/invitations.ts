import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { changePilot, type PilotRow } from './pilots.ts'

/** An invitation as it stands at the beginning of the transaction; `wait_ms`: until something is due, 0 where nothing is. */
export type InvitationRow = PilotRow & { lapsed: boolean; unanswered: boolean; wait_ms: number }

// Operators are reminded after half of its time.
const remindAt = sql`created_at + (expires_at - created_at) / 2`

/** The row of an invitation, locked; undefined for a pilot that began otherwise. */
export function lockInvitation(tx: Tx, pilotId: string): Promise<InvitationRow | undefined> {
  const next = sql`case when reminded_at is null then ${remindAt} else expires_at end`
  return tx
    .selectFrom('pilots')
    .selectAll()
    .select([
      sql<boolean>`expires_at <= now()`.as('lapsed'),
      sql<boolean>`reminded_at is null and ${remindAt} <= now()`.as('unanswered'),
      sql<number>`case when state = 'invited' then greatest(0, ceil(extract(epoch from ${next} - now()) * 1000))::float8 else 0 end`.as(
        'wait_ms',
      ),
    ])
    .where('pilot_id', '=', pilotId)
    .where('source', '=', 'invitation')
    .forUpdate()
    .executeTakeFirst()
}

/** Ends an invitation whose time is over, or has operators see one that was not answered for half of it; once each. */
export async function advanceInvitation(
  tx: Tx,
  pilotId: string,
): Promise<InvitationRow | undefined> {
  const row = await lockInvitation(tx, pilotId)
  if (row?.state !== 'invited') return row
  if (row.lapsed) await changePilot(tx, pilotId, { state: 'expired', waiting_since: null })
  else if (row.unanswered) {
    const now = sql<Date>`now()` as never
    await changePilot(tx, pilotId, { reminded_at: now, waiting_since: now })
  } else return row
  return lockInvitation(tx, pilotId)
}
