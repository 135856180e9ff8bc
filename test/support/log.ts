import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings } from '../../activities/keys/key-ring.ts'
import { publishKeys } from '../../activities/keys/publish-keys.ts'
import { type LogDeps, logOrigin } from '../../activities/log/sequencer.ts'
import type { Database } from '../../activities/store/schema/schema.ts'

/** A log on a database of its own, with a key that is published. */
export async function openLog(db: Kysely<Database>): Promise<LogDeps> {
  const keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(db, keys)
  return { db, keys, origin: logOrigin('http://log.example') }
}

/** The text that stands for a receipt in these tests, and its entry. */
export const jwsOf = (number: number): string => `receipt ${number}`
export const entryOf = (number: number): Buffer =>
  createHash('sha256').update(jwsOf(number)).digest()

/** Stores receipts with the numbers from `from` up to, without, `to`, each in its place of one order. */
export async function storeReceipts(db: Kysely<Database>, from: number, to: number): Promise<void> {
  await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
    select 'rc_' || encode(sha256(convert_to('receipt ' || n, 'UTF8')), 'hex'), 'subject ' || n, 0, 'kind', 'receipt ' || n, 'kid', ''
    from generate_series(${from}::integer, ${to - 1}::integer) as n order by n`.execute(db)
}
