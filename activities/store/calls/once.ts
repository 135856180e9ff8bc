import type { Kysely } from 'kysely'
import { type Tx, transaction } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'
import { answerCall, claimGrant } from './calls.ts'

/** The call behind a command, its subject, and the status of its answer. */
export type ActOf = { callId: string; subject: string; status: number }

/**
 * Runs a command, uses the grant of its call and stores its answer in one transaction, so that a call runs once and
 * repeats its answer.
 */
export function answerOnce<Answer extends Record<string, unknown>>(
  { db }: { db: Kysely<Database> },
  { callId, subject, status }: ActOf,
  act: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  return transaction(db, async (tx) => {
    await claimGrant(tx, callId, subject)
    const answer = await act(tx)
    await answerCall(callId, subject, status, answer).run(tx)
    return answer
  })
}
