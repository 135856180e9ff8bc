import { type Selectable, sql } from 'kysely'
import type { ChallengeState } from '#domain/payments/payment-reference.ts'
import type { Tx } from '../postgres/db.ts'
import { countEach, now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ChallengeRow = Selectable<Database['payment_challenges']> & { lapsed: boolean }

const lapsed = sql<boolean>`expires_at <= clock_timestamp()`.as('lapsed')
const challenges = (tx: Tx) => tx.selectFrom('payment_challenges').selectAll().select(lapsed)

export async function findChallenge(
  tx: Tx,
  challengeId: string,
): Promise<ChallengeRow | undefined> {
  return challenges(tx).where('challenge_id', '=', challengeId).executeTakeFirst()
}

/** The latest challenge that is bound to this entitlement. */
export async function findChallengeOf(
  tx: Tx,
  entitlementId: string,
): Promise<ChallengeRow | undefined> {
  return challenges(tx)
    .where('entitlement_id', '=', entitlementId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

const states = ['open', 'pending', 'settled', 'expired'] as const
/** The number of bound challenges in each state, each up to `COUNTED_MAX`. */
export const countBound = (tx: Tx): Promise<Record<string, number>> =>
  countEach(
    tx,
    states,
    sql`select from payment_challenges where state = value and entitlement_id is not null`,
  )

/** The row, locked for the rest of the transaction. */
export async function lockChallenge(
  tx: Tx,
  challengeId: string,
): Promise<ChallengeRow | undefined> {
  await sql`select 1 from payment_challenges where challenge_id = ${challengeId} for update`.execute(
    tx,
  )
  return findChallenge(tx, challengeId)
}

/** Locks the one challenge of a quote that was paid or can still be paid. */
export async function lockLiveChallenge(
  tx: Tx,
  quoteId: string,
): Promise<ChallengeRow | undefined> {
  return challenges(tx)
    .where('quote_id', '=', quoteId)
    .where('state', '<>', 'expired')
    .forUpdate()
    .executeTakeFirst()
}

/** The challenge of a quote that can still be paid or is being paid. */
export async function findOpenChallenge(
  tx: Tx,
  quoteId: string,
): Promise<ChallengeRow | undefined> {
  return challenges(tx)
    .where('quote_id', '=', quoteId)
    .where('state', 'in', ['open', 'pending'])
    .executeTakeFirst()
}

/**
 * Inserts a challenge with this lifetime, but never longer than its quote. Returns undefined if another challenge was
 * inserted first.
 */
export async function insertChallenge(
  tx: Tx,
  challenge: {
    challenge_id: string
    quote_id: string
    entitlement_id: string | null
    amount_usd: number
  },
  lifeSeconds: number,
): Promise<ChallengeRow | undefined> {
  return tx
    .insertInto('payment_challenges')
    .values({
      ...challenge,
      state: 'open',
      expires_at: sql<Date>`least(clock_timestamp() + ${lifeSeconds} * interval '1 second',
        (select expires_at from quotes where quote_id = ${challenge.quote_id}))`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(lapsed)
    .executeTakeFirst()
}

/** Stores the new state of a locked challenge, and the entitlement that it is bound to from now on. */
export async function updateChallenge(
  tx: Tx,
  challengeId: string,
  change: { state?: ChallengeState; entitlement_id?: string },
): Promise<void> {
  await tx
    .updateTable('payment_challenges')
    .set({ ...change, changed_at: now })
    .where('challenge_id', '=', challengeId)
    .execute()
}
