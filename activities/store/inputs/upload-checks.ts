import { type Selectable, sql } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { ListCorrections } from '#domain/rails/input/corrections.ts'
import type { Extraction } from '#domain/rails/input/documents.ts'
import type { UploadOutcome } from '#domain/rails/input/input-faults.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { readAgentTrust } from '../agents/agents.ts'
import { computeWaitMs } from '../calls/compute.ts'
import { notifyChanged } from '../postgres/changes.ts'
import { type Tx, transaction } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'
import { findInput, type InputName, lockOwner } from './agent-inputs.ts'
import { countReading, type ReadingBounds, readingWaitMs } from './upload-readings.ts'

export type UploadCheckRow = Omit<Selectable<Database['upload_checks']>, 'extraction'>
/** An upload as a list of a rail, read with the caller's corrections; `DOCUMENT` in place of a list: as a document. */
export type CheckedList = InputName & {
  rail: RailKey
  list: string
  corrections: ListCorrections
  sheet: string | null
}
export const DOCUMENT = 'document'

/** One attempt, and two more if its process died without a result. */
const ATTEMPTS_MAX = 3
/** Checks that one owner may have open, of those that began in the last ten minutes; and what it may have read in a day. */
export type CheckBounds = { readonly openMax: number; readonly perDay: ReadingBounds }
/** Why a check cannot be begun. */
export type NotBegun =
  | { refused: 'no_upload' }
  | { refused: 'too_many_at_once' }
  | { refused: 'too_many_today' | 'compute_used'; waitMs: number }

const uploadCheckId = (asked: CheckedList): string => `uc_${digestOf(asked)}`

/** All but the extraction, which is long. */
const checkColumns = [
  'check_id',
  'owner',
  'sha256',
  'rail',
  'list',
  'corrections',
  'sheet',
  'began_at',
  'attempts',
  'outcome',
] as const

/**
 * The check of an upload, begun where there is none yet; once per upload, list and corrections. Returns why it cannot be begun:
 * the owner has no such upload, too many checks are open, or the readings of the day are used up.
 */
export async function beginUploadCheck(
  db: Tx,
  asked: CheckedList,
  { openMax, perDay }: CheckBounds,
): Promise<UploadCheckRow | NotBegun> {
  const check_id = uploadCheckId(asked)
  return transaction(db, async (tx) => {
    await lockOwner(tx, asked.owner)
    // A reading that was given up may have had its cause in the service.
    await sql`delete from upload_checks where check_id = ${check_id} and outcome ? 'refused'
      and began_at < clock_timestamp() - interval '1 hour'`.execute(tx)
    const known = await findUploadCheck(tx, check_id)
    if (known !== undefined) return known
    const upload = await findInput(tx, asked)
    if (upload === undefined) return { refused: 'no_upload' }
    const secret = await findSecretCheck(tx, asked)
    if (secret !== undefined) return secret
    if ((await countOpen(tx, asked.owner)) >= openMax) return { refused: 'too_many_at_once' }
    const { network } = await readAgentTrust(tx, asked.owner)
    const computeMs = await computeWaitMs(tx, network)
    if (computeMs > 0) return { refused: 'compute_used', waitMs: computeMs }
    const bytes = Number(upload.byte_length)
    const waitMs = await readingWaitMs(tx, asked.owner, bytes, perDay)
    if (waitMs > 0) return { refused: 'too_many_today', waitMs }
    const { corrections, ...named } = asked
    const begun = await tx
      .insertInto('upload_checks')
      .values({ check_id, ...named, corrections: JSON.stringify(corrections) })
      .returning(checkColumns)
      .executeTakeFirstOrThrow()
    await countReading(tx, check_id, bytes)
    return begun
  })
}

async function countOpen(tx: Tx, owner: string): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as open from upload_checks
    where owner = ${owner} and outcome is null and began_at > clock_timestamp() - interval '10 minutes'`.execute(
    tx,
  )
  return rows[0]?.open ?? 0
}

/** What was read from an owner's file: the sheet that was asked for, or the file as a document. */
export async function findExtraction(
  tx: Tx,
  { owner, sha256 }: InputName,
  as: { rows: boolean; sheet: string | null },
): Promise<Extraction | undefined> {
  const found = await tx
    .selectFrom('upload_checks')
    .select('extraction')
    .where('owner', '=', owner)
    .where('sha256', '=', sha256)
    .where('list', as.rows ? '!=' : '=', DOCUMENT)
    .where('sheet', 'is not distinct from', as.sheet)
    .where('extraction', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return found?.extraction ?? undefined
}

/** The check that found a secret in an upload, however it was read; the bytes of such an upload are gone. */
export function findSecretCheck(
  tx: Tx,
  { owner, sha256 }: InputName,
): Promise<UploadCheckRow | undefined> {
  return tx
    .selectFrom('upload_checks')
    .select(checkColumns)
    .where('owner', '=', owner)
    .where('sha256', '=', sha256)
    .where(sql<boolean>`outcome ? 'secret'`)
    .limit(1)
    .executeTakeFirst()
}

export function findUploadCheck(tx: Tx, checkId: string): Promise<UploadCheckRow | undefined> {
  return tx
    .selectFrom('upload_checks')
    .select(checkColumns)
    .where('check_id', '=', checkId)
    .executeTakeFirst()
}

/** Removes a check that no attempt has begun, with its count. */
export async function dropUploadCheck(db: Tx, checkId: string): Promise<void> {
  await sql`with dropped as (
      delete from upload_checks where check_id = ${checkId} and outcome is null and attempts = 0
      returning check_id, began_at)
    delete from upload_readings using dropped
    where upload_readings.check_id = dropped.check_id and upload_readings.began_at = dropped.began_at`.execute(
    db,
  )
}

/** Counts another attempt. Returns false and counts nothing if no attempt is left. */
export async function beginCheckAttempt(tx: Tx, checkId: string): Promise<boolean> {
  const counted = await tx
    .updateTable('upload_checks')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
    .where('check_id', '=', checkId)
    .where('attempts', '<', ATTEMPTS_MAX)
    .returning('check_id')
    .executeTakeFirst()
  return counted !== undefined
}

/** Removes the count of an attempt that failed for a reason other than its upload. */
export async function takeBackCheckAttempt(tx: Tx, checkId: string): Promise<void> {
  await tx
    .updateTable('upload_checks')
    .set(({ eb }) => ({ attempts: eb('attempts', '-', 1) }))
    .where('check_id', '=', checkId)
    .where('attempts', '>', 0)
    .where('outcome', 'is', null)
    .execute()
}

/** Stores the outcome where there is none yet, and wakes the calls that wait for it. The bytes of an upload with a secret are deleted. */
export function endUploadCheck(
  db: Tx,
  checkId: string,
  outcome: UploadOutcome,
  read?: Extraction,
): Promise<void> {
  return transaction(db, async (tx) => {
    const extraction = read === undefined ? null : JSON.stringify(read)
    await tx
      .updateTable('upload_checks')
      .set({ outcome: JSON.stringify(outcome), extraction })
      .where('check_id', '=', checkId)
      .where('outcome', 'is', null)
      .execute()
    if ('secret' in outcome) await deleteChunks(tx, checkId)
    await notifyChanged(tx, checkId)
  })
}

async function deleteChunks(tx: Tx, checkId: string): Promise<void> {
  await sql`delete from agent_input_chunks where blob_id in (
    select i.blob_id from agent_inputs i join upload_checks c using (owner, sha256)
    where c.check_id = ${checkId})`.execute(tx)
}
