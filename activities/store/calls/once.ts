import type { Kysely } from 'kysely'
import { type Tx, transaction } from '../postgres/db.ts'
import type { Database } from '../schema/schema.ts'
import { answerCall, claimGrant } from './calls.ts'

/** The call that an act works for, what it is about, and the status of its answer. */
export type ActOf = { callId: string; subject: string; status: number }

/** One act in one transaction with the use of its call's grant and its answer, so that a call acts once and repeats its answer. */
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
