import { sql } from 'kysely'
import { isTrustedAgent } from '../agents/agents.ts'
import type { Tx } from '../postgres/db.ts'

/** Requests in a UTC day: of an owner, of all owners without trust together, and of all others. */
export type PostQuota = {
  readonly agent: number
  readonly untrusted: number
  readonly trusted: number
}

const today = sql`(clock_timestamp() at time zone 'utc')::date`

/**
 * Counts one request of this owner, to be committed before it is sent; false, and nothing is counted, where the owner or all of its
 * kind together have sent as many as they may. Wallets are trusted: only what a principal authorized calls them back.
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

/** Has a delivery wait for the next UTC day, within ten minutes of its begin. */
export async function holdBack(tx: Tx, deliveryId: string): Promise<void> {
  await sql`update callback_deliveries set next_attempt_at = next_day.at, held_back_until = next_day.at
    from (select ((${today} + 1)::timestamp at time zone 'utc')
      + mod(hashtext(${deliveryId})::bigint + 2147483648, 600) * interval '1 second' as at) as next_day
    where delivery_id = ${deliveryId}`.execute(tx)
}

/** Forgets the counts of days that are over for a week. */
export async function forgetPosts(tx: Tx): Promise<void> {
  await sql`delete from callback_posts where day < ${today} - 7`.execute(tx)
}
