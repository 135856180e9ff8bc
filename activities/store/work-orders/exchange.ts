import { type Insertable, type Selectable, sql } from 'kysely'
import { limits } from '#domain/core/limits.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { releaseFeeOf } from '../credit/fee-events.ts'
import type { Tx } from '../postgres/db.ts'
import {
  changeRow,
  countOf,
  countUpTo,
  findRow,
  insertNew,
  now,
  SEARCHED_MAX,
} from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type ClaimRow = Selectable<Database['exchange_claims']>
type Ended = Extract<ClaimRow['state'], 'accepted' | 'rejected' | 'released' | 'expired'>

/** The newest orders that were put on the exchange and approved. No deadline is further ahead than the index is read back. */
const newest = (tx: Tx) =>
  tx
    .selectFrom('work_orders')
    .select(['work_order_id', 'created_at', 'objective', 'acceptance_criteria'])
    .select(['exchange_until', 'reward_note'])
    .where('exchange_until', 'is not', null)
    .where('decision', '=', 'approve')
    .where('created_at', '>', sql<Date>`now() - ${limits.exchangeSecondsMax} * interval '1 second'`)
    .orderBy('created_at', 'desc')
    .orderBy('work_order_id')
    .limit(SEARCHED_MAX)

/** Those of them that may be claimed now: funded, reviewed, within their deadline and without a claim. */
const open = (tx: Tx, rail: RailKey | undefined) =>
  tx
    .selectFrom(newest(tx).as('w'))
    .innerJoin('work_order_tasks as o', 'o.work_order_id', 'w.work_order_id')
    .innerJoin('tasks as t', 't.task_id', 'o.task_id')
    .where('w.exchange_until', '>', now)
    .where('t.state', '=', 'credit_funded')
    .where('t.review_decision', 'is not', null)
    .where(
      sql<boolean>`not exists (select from exchange_claims c where c.work_order_id = w.work_order_id
        and (c.state = 'delivered' or c.state = 'held' and c.expires_at > clock_timestamp()))`,
    )
    .$if(rail !== undefined, (query) => query.where('t.rail', '=', rail as RailKey))

/** The open orders, newest first, with their number up to `COUNTED_MAX`. */
export async function listOpenOrders(
  tx: Tx,
  rail: RailKey | undefined,
  { offset, limit }: { offset: number; limit: number },
) {
  const rows = await open(tx, rail)
    .select(['w.work_order_id', 't.rail', 't.tier', 'w.objective', 'w.acceptance_criteria'])
    .select(['w.exchange_until', 'w.reward_note'])
    .orderBy('w.created_at', 'desc')
    .orderBy('w.work_order_id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { rows, total: await countUpTo(tx, open(tx, rail)) }
}

/** The claim that is held, or whose delivery is under review or was accepted. */
export const findLiveClaim = (tx: Tx, workOrderId: string) =>
  findRow(tx, 'exchange_claims', {
    work_order_id: workOrderId,
    state: ['held', 'delivered', 'accepted'],
  })

export const findClaim = (tx: Tx, claimId: string) =>
  findRow(tx, 'exchange_claims', { claim_id: claimId })

/** An agent's own claims, newest first, or one of them. */
export async function listClaims(
  tx: Tx,
  { agentId, claimId, most }: { agentId: string; claimId: string | undefined; most: number },
): Promise<ClaimRow[]> {
  return tx
    .selectFrom('exchange_claims')
    .selectAll()
    .where('agent_id', '=', agentId)
    .$if(claimId !== undefined, (query) => query.where('claim_id', '=', claimId as string))
    .orderBy('claimed_at', 'desc')
    .orderBy('claim_id')
    .limit(most)
    .execute()
}

/** The claims that an agent holds; it begins no other before the transaction ends. */
export async function countHeld(tx: Tx, agentId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`exchange:${agentId}`}, 0))`.execute(tx)
  return countOf(
    tx.selectFrom('exchange_claims').where('agent_id', '=', agentId).where('state', '=', 'held'),
  )
}

type NewClaim = Pick<
  Insertable<Database['exchange_claims']>,
  'claim_id' | 'work_order_id' | 'agent_id' | 'entitlement_id' | 'input_sha256' | 'terms_sha256'
>
/** Claims an order until so many milliseconds have passed, at most until its deadline; undefined where another claim won. */
export function insertClaim(tx: Tx, claim: NewClaim, lastsMs: number) {
  const expires_at = sql<Date>`(select least(w.exchange_until,
    clock_timestamp() + ${lastsMs} * interval '1 millisecond') from work_orders w where w.work_order_id = ${claim.work_order_id})`
  return insertNew(tx, 'exchange_claims', { ...claim, expires_at })
}

export async function deliverClaim(
  tx: Tx,
  claimId: string,
  made: Pick<ClaimRow, 'delivery_sha256' | 'receipt_id'> & { delivery: object; checks: object },
): Promise<ClaimRow> {
  const { delivery, checks, ...digests } = made
  const delivered = {
    ...digests,
    state: 'delivered' as const,
    delivered_at: now,
    delivery: JSON.stringify(delivery),
    checks: JSON.stringify(checks),
  }
  return changeRow(tx, 'exchange_claims', { claim_id: claimId }, delivered)
}

type End = { from: 'held' | 'delivered'; to: Ended; reason: string }
/** Ends the claim of an order where it stands so; only an overdue one is `expired`. */
export async function endClaim(
  tx: Tx,
  workOrderId: string,
  { from, to, reason }: End,
): Promise<ClaimRow | undefined> {
  const ended = await tx
    .updateTable('exchange_claims')
    .set({ state: to, reason, ended_at: now })
    .where('work_order_id', '=', workOrderId)
    .where('state', '=', from)
    .$if(to === 'expired', (query) => query.where('expires_at', '<=', now))
    .returningAll()
    .executeTakeFirst()
  if (ended !== undefined && from === 'held') await releaseFeeOf(tx, 'escrow_fee', ended.claim_id)
  return ended
}

/** The order of a task that was put on the exchange, with its live claim. */
export async function findExchangeOf(tx: Tx, taskId: string) {
  return tx
    .selectFrom('work_order_tasks as o')
    .innerJoin('work_orders as w', 'w.work_order_id', 'o.work_order_id')
    .leftJoin('exchange_claims as c', (join) =>
      join
        .onRef('c.work_order_id', '=', 'w.work_order_id')
        .on('c.state', 'in', ['held', 'delivered', 'accepted']),
    )
    .select(['w.work_order_id', 'w.exchange_until', 'c.claim_id', 'c.state', 'c.expires_at'])
    .select(['c.input_sha256', 'c.agent_id', 'c.delivery', 'c.checks', 'c.receipt_id'])
    .where('o.task_id', '=', taskId)
    .where('w.exchange_until', 'is not', null)
    .executeTakeFirst()
}
