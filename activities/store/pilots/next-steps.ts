import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import type { Delivered } from '../prospects/next-steps.ts'

/** The result of the run of a delivered pilot, with its package and usage receipt. */
export async function deliveredByPilot(tx: Tx, pilotId: string): Promise<Delivered | undefined> {
  const { rows } = await sql<Delivered>`
    select t.task_id, t.rail, m.return_package_id, c.usage_receipt_id
    from pilot_runs r join tasks t using (task_id)
      join task_credits c on c.task_id = t.task_id and c.usage_receipt_id is not null
      join return_packages m on m.run_id = run_id_of(t.task_id)
    where r.pilot_id = ${pilotId}`.execute(tx)
  return rows[0]
}

/** Whether a pilot has an offer that can still be paid, or that is paid and whose payment was not given back. */
export async function pilotHasOffer(tx: Tx, pilotId: string): Promise<boolean> {
  const { rows } = await sql`select from paid_next_steps s join next_steps_now n using (quote_id)
    where s.pilot_id = ${pilotId} and n.state_now in ('payable','paid','disputed')`.execute(tx)
  return rows.length > 0
}

/** The pilot of the agent of a prospect, for its account, that was delivered last. */
export async function deliveredPilotOf(tx: Tx, prospectId: string): Promise<string | undefined> {
  const { rows } = await sql<{ pilot_id: string }>`
    select p.pilot_id from prospects o join pilots p on p.agent_id = o.agent_id
      join pilots_now n on n.pilot_id = p.pilot_id and n.state_now in ('delivered','paid_next_step_ready')
      join pilot_runs r on r.pilot_id = p.pilot_id and (o.customer_account is null or r.customer_account = o.customer_account)
    where o.prospect_id = ${prospectId} order by r.started_at desc, p.pilot_id limit 1`.execute(tx)
  return rows[0]?.pilot_id
}
