import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { receiptId } from '#domain/core/ids.ts'
import { logOrigin } from '#domain/log/origin.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import type { Config } from '../../activities/config/config.ts'
import { signCompact } from '../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings, loadKeyRings } from '../../activities/keys/key-ring.ts'
import { publishKeys } from '../../activities/keys/publish-keys.ts'
import { type LogDeps, sequence } from '../../activities/log/sequencer.ts'
import type { Database } from '../../activities/store/schema/schema.ts'

/** A log on a database of its own, with a key that is published. */
export async function openLog(db: Kysely<Database>): Promise<LogDeps> {
  const keys = keyRings(generateSigningKeys(new Date()))
  await publishKeys(db, keys)
  return { db, keys, origin: logOrigin('http://log.example') }
}

/** The text that stands for a receipt in these tests, its digest and its entry. */
export const jwsOf = (number: number): string => `receipt ${number}`
const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest()
export const receiptIdOf = (number: number): string => `rc_${sha256(jwsOf(number)).toString('hex')}`
export const entryOf = (number: number): Buffer => sha256(sha256(jwsOf(number)))

/** Stores receipts with the numbers from `from` up to, without, `to`, each in its place of one order. */
export async function storeReceipts(db: Kysely<Database>, from: number, to: number): Promise<void> {
  await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
    select 'rc_' || encode(sha256(convert_to('receipt ' || n, 'UTF8')), 'hex'), 'subject ' || n, 0, 'kind', 'receipt ' || n, 'kid', ''
    from generate_series(${from}::integer, ${to - 1}::integer) as n order by n`.execute(db)
}

/** Stores receipts, signed as the service signs them with the keys of this file, with the numbers from `from` up to, without, `to`. */
export async function storeSigned(
  { db, keysFile }: { db: Kysely<Database>; keysFile: string },
  from: number,
  to: number,
): Promise<void> {
  const { active } = loadKeyRings(keysFile).receipt
  const rows = await Promise.all(
    Array.from({ length: to - from }, async (_, index) => {
      const [subject, kind] = [`subject ${from + index}`, 'kind']
      const payload = { sub: subject, kind }
      const jws = await signCompact(active, { typ: RECEIPT_TYP, payload })
      const { kid } = active
      return { receipt_id: receiptId(jws), subject, seq: 0, kind, jws, kid, payload_sha256: '' }
    }),
  )
  await db.insertInto('receipts').values(rows).execute()
}

/** Gives queued receipts their place in the log as a worker does, until the answer is called; a database that is down is asked again. */
export function keepSequencing(config: Config, db: Kysely<Database>): () => Promise<void> {
  const deps = {
    db,
    keys: loadKeyRings(config.SIGNING_KEYS_FILE),
    origin: logOrigin(config.BASE_URL),
  }
  const stopping = new AbortController()
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sequence(deps).catch(() => undefined)
      await sleep(config.LOG_EVERY_MS, undefined, stopping).catch(() => undefined)
    }
  }
  const running = loop()
  return () => {
    stopping.abort()
    return running
  }
}
