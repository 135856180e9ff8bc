import { sql } from 'kysely'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { record } from '../postgres/record.ts'
import type { Row } from '../postgres/rows.ts'

export const nextSteps = record('paid_next_steps', 'quote_id', 'next step')

export type Delivered = {
  task_id: string
  rail: RailKey
  return_package_id: string
  usage_receipt_id: string
}

/**
 * The work that was delivered to a prospect last: an operational run of its agent, for its account, with its package and usage receipt.
 */
export async function deliveredTo(tx: Tx, prospectId: string): Promise<Delivered | undefined> {
  const { rows } = await sql<Delivered>`
    select t.task_id, t.rail, m.return_package_id, c.usage_receipt_id
    from prospects p join tasks t on t.agent_id = p.agent_id and t.usage = 'operational'
      join task_credits c on c.task_id = t.task_id and c.usage_receipt_id is not null
      join return_packages m on m.run_id = run_id_of(t.task_id) and m.made_at > p.created_at
    where p.prospect_id = ${prospectId} and (p.customer_account is null or exists (select from production_runs r
      where r.task_id = t.task_id and r.customer_account = p.customer_account))
    order by m.made_at desc, t.task_id limit 1`.execute(tx)
  return rows[0]
}

/** Whether a prospect has an offer that can be paid, or whose payment was not given back and whose run has not completed. */
export async function hasLiveOffer(tx: Tx, prospectId: string): Promise<boolean> {
  const { rows } = await sql`select from paid_next_steps s join next_steps_now n using (quote_id)
    where s.prospect_id = ${prospectId} and n.state_now in ('payable','paid','disputed') and not exists (
      select from prospect_paid_runs r join payment_references p using (payment_reference_id) join entitlements e using (entitlement_id)
      where r.prospect_id = s.prospect_id and e.quote_id = s.quote_id)`.execute(tx)
  return rows.length > 0
}

/** Whom a paid next step is offered to: the ids are those of prospects or of pilots. */
export type Takers = { key: 'prospect_id' | 'pilot_id'; ids: readonly string[] }
const paidRunsOf = { prospect_id: 'prospect_paid_runs', pilot_id: 'pilot_paid_runs' } as const

export type Offer = Pick<
  Row<'paid_next_steps'>,
  'quote_id' | 'return_package_id' | 'usage_receipt_id' | 'note'
> & {
  taker: string
  rail: RailKey
  tier: Tier
  total_usd: number
  challenge_id: string | null
}

/** The latest offer to each of these, with the challenge that it can be paid by or was. */
export async function listOffers(tx: Tx, { key, ids }: Takers): Promise<Offer[]> {
  const taker = sql.ref(`s.${key}`)
  const { rows } = await sql<Offer>`
    select distinct on (${taker}) ${taker} as taker, s.quote_id, s.return_package_id, s.usage_receipt_id, s.note, q.rail, q.tier,
      q.total_usd, (select c.challenge_id from payment_challenges c where c.quote_id = s.quote_id and c.state <> 'expired') as challenge_id
    from paid_next_steps s join quotes q using (quote_id) where ${taker} = any(${[...ids]})
    order by ${taker}, s.at desc, s.quote_id`.execute(tx)
  return rows
}

export type PaidRun = {
  taker: string
  run_id: string
  payment_reference_id: string
  settlement_receipt_id: string | null
  return_package_id: string | null
  completed_at: Date
}

/** The paid run by which each of these converted: its first one. */
export async function listConversions(tx: Tx, { key, ids }: Takers): Promise<PaidRun[]> {
  const taker = sql.ref(`r.${key}`)
  const { rows } = await sql<PaidRun>`
    select distinct on (${taker}) ${taker} as taker, run_id_of(r.task_id) as run_id, r.payment_reference_id, r.completed_at,
      p.settlement_receipt_id, (select m.return_package_id from return_packages m where m.run_id = run_id_of(r.task_id)) as return_package_id
    from ${sql.table(paidRunsOf[key])} r join payment_references p using (payment_reference_id)
    where ${taker} = any(${[...ids]}) order by ${taker}, r.completed_at, r.task_id`.execute(tx)
  return rows
}
