import { sql } from 'kysely'
import { prepared, type Statement } from '../postgres/prepared.ts'

/** Only one transaction at a time issues something about this subject. */
export const lockSubject = (subject: string): Statement => lockName(`trust:${subject}`)

const lockName = prepared(
  (_, name: string) => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
)
