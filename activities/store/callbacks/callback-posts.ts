import { sql } from 'kysely'
import { isTrustedAgent } from '../agents/agents.ts'
import type { Tx } from '../postgres/db.ts'

/** Limits of requests in a UTC day: of one owner, of all untrusted owners together, and of all others together. */
export type PostQuota = {
  readonly agent: number
  readonly untrusted: number
  readonly trusted: number
}

const today = sql`(clock_timestamp() at time zone 'utc')::date`

/**
 * Counts one request of this owner; commit before you send it. Returns false and counts nothing if the owner, or all
 * owners of its kind together, reached the limit. Wallets count as trusted, because their callbacks come only from
 * work that a principal authorized.
 */
export async function takePost(tx: Tx, owner: string, quota: PostQuota): Promise<boolean> {
  const isTrusted = owner.startsWith('0x') || (await isTrustedAgent(tx, owner))
  const [total, most] = isTrusted ? ['trusted', quota.trusted] : ['untrusted', quota.untrusted]
  const scopes = [`all:${total}`, `owner:${owner}`]
  await sql`insert into callback_posts (scope, day, posts) select scope, ${today}, 0 from unnest(${scopes}::text[]) as scope
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ scope: string; posts: string }>`
    select scope, posts from callback_posts where scope = any(${scopes}) and day = ${today} order by scope for update`.execute(
    tx,
  )
  const isLeft = rows.every(
    ({ scope, posts }) => Number(posts) < (scope.startsWith('all:') ? most : quota.agent),
  )
  if (isLeft)
    await sql`update callback_posts set posts = posts + 1 where scope = any(${scopes}) and day = ${today}`.execute(
      tx,
    )
  return isLeft
}

/** Delays a delivery until the first ten minutes of the next UTC day. */
export async function holdBack(tx: Tx, deliveryId: string): Promise<void> {
  await sql`update callback_deliveries set next_attempt_at = next_day.at, held_back_until = next_day.at
    from (select ((${today} + 1)::timestamp at time zone 'utc')
      + mod(hashtext(${deliveryId})::bigint + 2147483648, 600) * interval '1 second' as at) as next_day
    where delivery_id = ${deliveryId}`.execute(tx)
}

/** Deletes the counts of days that ended more than a week ago. */
export async function forgetPosts(tx: Tx): Promise<void> {
  await sql`delete from callback_posts where day < ${today} - 7`.execute(tx)
}
