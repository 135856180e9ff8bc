import type { Selectable } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { type Difference, differenceCodes, type Section } from '#domain/core/difference.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Tx } from '../postgres/db.ts'
import { countOf, listRows, lockRow, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ExceptionRow = Selectable<Database['exceptions']>

/**
 * Stores a confirmed difference and returns whether this opened an exception. An open exception is only marked as
 * seen again. One that an operator closed while the difference still existed stays closed as long as the evidence is
 * the same, because it was accepted and not repaired.
 */
export async function recordDifference(
  tx: Tx,
  reconciliationId: string,
  { code, subject, evidence, blockNumber }: Difference,
): Promise<boolean> {
  const evidenceSha256 = digestOf(evidence)
  const latest = await tx
    .selectFrom('exceptions')
    .select(['exception_id', 'state', 'seen', 'evidence_sha256'])
    .where('code', '=', code)
    .where('subject', '=', subject)
    .orderBy('first_seen_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const accepted =
    latest?.state === 'closed' && latest.seen && latest.evidence_sha256 === evidenceSha256
  if (latest !== undefined && (latest.state === 'open' || accepted)) {
    await tx
      .updateTable('exceptions')
      .set({ seen: true, last_seen_at: now })
      .where('exception_id', '=', latest.exception_id)
      .execute()
    return false
  }
  const opened = await tx
    .insertInto('exceptions')
    .values({
      exception_id: `ex_${digestOf({ code, subject, reconciliation_id: reconciliationId })}`,
      section: differenceCodes[code].section,
      code,
      subject,
      block_number: blockNumber ?? null,
      evidence: JSON.stringify(evidence) as never,
      evidence_sha256: evidenceSha256,
      opened_by: reconciliationId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('exception_id')
    .executeTakeFirst()
  return opened !== undefined
}

/**
 * Marks the differences that this run checked and did not find again. An open exception stays open until an operator
 * closes it.
 */
export async function markGone(tx: Tx, startedAt: Date): Promise<void> {
  await tx
    .updateTable('exceptions')
    .set({ seen: false })
    .where('seen', '=', true)
    .where('last_seen_at', '<', startedAt)
    .execute()
}

/** The differences of the last run, which have to be checked again: the subjects of a section and their blocks. */
export async function listSeen(
  tx: Tx,
  section: Section,
): Promise<{ subject: string; block_number: string | null }[]> {
  return tx
    .selectFrom('exceptions')
    .select(['subject', 'block_number'])
    .distinct()
    .where('section', '=', section)
    .where('seen', '=', true)
    .execute()
}

/** The number of differences that a run has confirmed, including known ones but not accepted ones. */
export async function countSeenSince(tx: Tx, startedAt: Date): Promise<number> {
  return countOf(
    tx.selectFrom('exceptions').where('state', '=', 'open').where('last_seen_at', '>=', startedAt),
  )
}

/** Open exceptions, newest first. */
export const listOpenExceptions = (tx: Tx, most: number) =>
  listRows(tx, 'exceptions', { state: 'open' }, ['first_seen_at desc', 'exception_id'], most)

export const countOpenExceptions = (tx: Tx): Promise<number> =>
  countOf(tx.selectFrom('exceptions').where('state', '=', 'open'))

/** The code of the oldest open exception of a payout, for its page in the Temporal UI. */
export async function openExceptionCode(tx: Tx, subject: string): Promise<string | null> {
  const row = await tx
    .selectFrom('exceptions')
    .select('code')
    .where('subject', '=', subject)
    .where('state', '=', 'open')
    .orderBy('first_seen_at')
    .limit(1)
    .executeTakeFirst()
  return row?.code ?? null
}

/**
 * Moves the exception from `open` to `closed` with the operator and the reason. Throws 404 if there is none, and 409
 * `wrong_state` if another command closed it.
 */
export async function closeException(
  tx: Tx,
  { exceptionId, closedBy, reason }: { exceptionId: string; closedBy: string; reason: string },
): Promise<ExceptionRow> {
  const closed = await tx
    .updateTable('exceptions')
    .set({ state: 'closed', closed_at: now, closed_by: closedBy, reason })
    .where('exception_id', '=', exceptionId)
    .where('state', '=', 'open')
    .returningAll()
    .executeTakeFirst()
  if (closed !== undefined) return closed
  const row = await lockRow(tx, 'exceptions', { exception_id: exceptionId })
  if (row === undefined)
    throw refuse('not_found', {
      detail: 'no such exception',
      next_action: 'List the open ones: GET /api/operator/reconciliation.',
    })
  // The command may run twice: the same operator with the same reason repeats it.
  if (row.closed_by === closedBy && row.reason === reason) return row
  throw refuse('wrong_state', {
    detail: 'the exception is closed',
    next_action: 'Read who closed it and why in its receipt.',
  })
}
