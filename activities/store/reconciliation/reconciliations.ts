import { type Selectable, sql } from 'kysely'
import type { DifferenceCode, Section } from '#domain/core/difference.ts'
import type { Tx } from '../postgres/db.ts'
import { now, requireRow } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ReconciliationRow = Selectable<Database['reconciliations']>
export type Suspect = {
  section: Section
  code: DifferenceCode
  subject: string
  blockNumber: string | null
}

/** The newest completed run. */
export async function lastReconciliation(tx: Tx): Promise<ReconciliationRow | undefined> {
  return tx
    .selectFrom('reconciliations')
    .selectAll()
    .where('completed_at', 'is not', null)
    .orderBy('completed_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Inserts the row of a run, or reads it if the run was opened before. `changed` becomes `all` if no earlier run
 * exists or if its snapshot is not in the past of this server, as after a restore into a new server.
 */
export async function openReconciliation(
  tx: Tx,
  run: { reconciliationId: string; scope: 'changed' | 'all'; throughBlock: bigint },
): Promise<ReconciliationRow> {
  const last = await lastReconciliation(tx)
  const known = last === undefined ? undefined : await isOfOurPast(tx, last.snapshot_xid)
  const since = run.scope === 'changed' && known === true ? last : undefined
  const from = since === undefined ? await firstBlock(tx) : BigInt(since.through_block) + 1n
  await tx
    .insertInto('reconciliations')
    .values({
      reconciliation_id: run.reconciliationId,
      scope: since === undefined ? 'all' : 'changed',
      changed_since: since?.snapshot_xid ?? null,
      snapshot_xid: sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`,
      from_block: (from ?? run.throughBlock).toString(),
      through_block: run.throughBlock.toString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return requireReconciliation(tx, run.reconciliationId)
}

export const requireReconciliation = (tx: Tx, reconciliationId: string) =>
  requireRow(tx, 'reconciliations', { reconciliation_id: reconciliationId })

/**
 * Transaction ids in rows have 32 bits. A snapshot that is older than half of that range looks like one of the
 * future.
 */
async function isOfOurPast(tx: Tx, snapshotXid: string): Promise<boolean> {
  const { rows } = await sql<{ past: boolean }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text::numeric - ${snapshotXid}::numeric between 0 and 2000000000 as past`.execute(
    tx,
  )
  return rows[0]?.past === true
}

/** The number of the block before our first transaction. */
async function firstBlock(tx: Tx): Promise<bigint | undefined> {
  const { rows } = await sql<{ first: string | null }>`
    select least((select min(from_block) from transfers), (select min(from_block) from payments))::text as first`.execute(
    tx,
  )
  return rows[0]?.first == null ? undefined : BigInt(rows[0].first)
}

export async function noteSuspects(
  tx: Tx,
  reconciliationId: string,
  suspects: readonly Suspect[],
): Promise<void> {
  if (suspects.length === 0) return
  const rows = suspects.map(({ section, code, subject, blockNumber }) => ({
    reconciliation_id: reconciliationId,
    section,
    code,
    subject,
    block_number: blockNumber,
  }))
  await tx
    .insertInto('reconciliation_suspects')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export type Place = { stage: number; after_key: string | null }

/** Moves a run from one page to the next; does nothing where another attempt has moved it. */
export async function advanceReconciliation(
  tx: Tx,
  { reconciliation_id, stage, after_key }: ReconciliationRow,
  { compared = 0, ...next }: Place & { compared?: number },
): Promise<void> {
  await tx
    .updateTable('reconciliations')
    .set((set) => ({ ...next, compared: set('compared', '+', compared) }))
    .where('reconciliation_id', '=', reconciliation_id)
    .where('stage', '=', stage)
    .where('after_key', 'is not distinct from', after_key)
    .execute()
}

/** How many differences a run suspects, and for how many milliseconds it has found no other. */
export async function readSuspects(
  tx: Tx,
  reconciliationId: string,
): Promise<{ count: number; quietMs: number }> {
  const { rows } = await sql<{ count: number; quiet_ms: number | null }>`
    select count(*)::int as count, extract(epoch from clock_timestamp() - max(noted_at))::float8 * 1000 as quiet_ms
    from reconciliation_suspects where reconciliation_id = ${reconciliationId}`.execute(tx)
  return { count: rows[0]?.count ?? 0, quietMs: rows[0]?.quiet_ms ?? 0 }
}

/** The suspects of a section in a run, after `after`, with their codes. */
export async function listSuspects(
  tx: Tx,
  {
    reconciliationId,
    section,
    after,
  }: { reconciliationId: string; section: Section; after: string | null },
  most: number,
): Promise<{ subject: string; blockNumber: string | null; codes: string[] }[]> {
  const rows = await tx
    .selectFrom('reconciliation_suspects')
    .select([
      'subject',
      sql<string | null>`min(block_number)`.as('block'),
      sql<string[]>`array_agg(code)`.as('codes'),
    ])
    .where('reconciliation_id', '=', reconciliationId)
    .where('section', '=', section)
    .where('subject', '>', after ?? '')
    .groupBy('subject')
    .orderBy('subject')
    .limit(most)
    .execute()
  return rows.map(({ subject, block, codes }) => ({ subject, blockNumber: block, codes }))
}

/** Completes a run. Deletes its suspects and those of runs that were abandoned a day ago. */
export async function completeReconciliation(
  tx: Tx,
  reconciliationId: string,
  differences: number,
): Promise<void> {
  await tx
    .updateTable('reconciliations')
    .set({ differences, completed_at: now })
    .where('reconciliation_id', '=', reconciliationId)
    .where('completed_at', 'is', null)
    .execute()
  await tx
    .deleteFrom('reconciliation_suspects')
    .where((or) =>
      or.or([
        or('reconciliation_id', '=', reconciliationId),
        or('noted_at', '<', sql<Date>`clock_timestamp() - interval '1 day'`),
      ]),
    )
    .execute()
}

/**
 * Whether this version of a row was written after the snapshot. It also finds rows that were changed by hand,
 * whatever their own times say.
 */
const writtenSince = (row: string, snapshotXid: string | null) =>
  snapshotXid === null
    ? sql<boolean>`true`
    : sql<boolean>`coalesce(age(${sql.ref(`${row}.xmin`)}) <= age((${snapshotXid}::numeric % 4294967296)::text::xid), false)`

/**
 * Payouts to compare, by id: written since the snapshot, not final, known to differ, or without the receipt or
 * transfer that their state requires (a deleted row leaves no other trace).
 */
export async function listDuePayouts(
  tx: Tx,
  snapshotXid: string | null,
  after: string | null,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ payout_id: string }>`
    select p.payout_id from payouts p left join transfers t on t.payout_id = p.payout_id
    where p.payout_id > ${after ?? ''} and (
      ${writtenSince('p', snapshotXid)} or ${writtenSince('t', snapshotXid)}
      or t.status not in ('final','dead') or (p.state = 'executed' and t.payout_id is null)
      or exists (select from receipts r where r.subject = p.payout_id and ${writtenSince('r', snapshotXid)})
      or (select count(*) from receipts r where r.subject = p.payout_id and r.set_aside_at is null) <>
        case p.state when 'created' then 1 when 'authorized' then 2 else 3 end + coalesce(t.status in ('final','dead'), false)::int
      or exists (select from exceptions e where e.section = 'payouts' and e.subject = p.payout_id and e.seen))
    order by p.payout_id limit ${most}`.execute(tx)
  return rows.map((row) => row.payout_id)
}

/**
 * Payments to compare, by id: they or one of their calls were written since the snapshot, are not final, or are known
 * to differ.
 */
export async function listDuePayments(
  tx: Tx,
  snapshotXid: string | null,
  after: string | null,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ payment_id: string }>`
    select p.payment_id from payments p
    where p.payment_id > ${after ?? ''} and (
      ${writtenSince('p', snapshotXid)} or p.state in ('claimed','settling','pending') or (p.state = 'settled' and not p.finalized)
      or exists (select from calls c where c.payment_id = p.payment_id and ${writtenSince('c', snapshotXid)})
      or (p.state = 'settled' and p.credit <> 'available' and not exists (select from calls c where c.payment_id = p.payment_id))
      or exists (select from exceptions e where e.section = 'payments' and e.subject = 'payment/' || p.payment_id and e.seen))
    order by p.payment_id limit ${most}`.execute(tx)
  return rows.map((row) => row.payment_id)
}

/** The oldest block time (Unix seconds) among the transfers written since the snapshot; null if there is none. */
export async function oldestChange(tx: Tx, snapshotXid: string | null): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from min(block_time))::float8 as seconds from transfers t where ${writtenSince('t', snapshotXid)}`.execute(
    tx,
  )
  return rows[0]?.seconds ?? null
}
