import { sql } from 'kysely'
import { FAILED } from '../calls/window-counts.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, upTo } from '../postgres/rows.ts'

export type HardeningRecords = {
  measured_at: Date
  events: number
  begun: number
  unapproved: number
  counted: number
  failing: number
  accepted: number
  operators: number
  paused: string[]
  key_ages: Record<string, number | null>
  checkpoint_age: number | null
  queued_for: number | null
}

/** What the records say of the controls, all at one time of Postgres. Ages are in seconds; of records, the newest are counted. */
export async function readHardening(tx: Tx): Promise<HardeningRecords> {
  const { rows } = await sql<HardeningRecords>`
    with begun as (
      select exists (
        select from review_decisions d where d.decision_id = t.review_decision and d.decision = 'approve'
      ) as approved
      from (select task_id, review_decision from tasks where usage = 'operational' and run_id is not null
        order by created_at desc limit ${COUNTED_MAX}) t
      where exists (select from runs r where r.task_id = t.task_id)
    ), rings as (
      select ring, extract(epoch from clock_timestamp() - max(activated_at) filter (
        where superseded_at is null and retired_at is null and revoked_at is null))::float8 as age
      from signing_keys group by ring
    )
    select clock_timestamp() as measured_at,
      ${upTo('select from provider_events')} as events,
      (select count(*)::int from begun) as begun,
      (select count(*)::int from begun where not approved) as unapproved,
      ${upTo(`select from window_counts where window_ends_at > statement_timestamp() and key not like '${FAILED}%'`)} as counted,
      ${upTo(`select from window_counts where window_ends_at > statement_timestamp() and key like '${FAILED}%'`)} as failing,
      ${upTo('select from contracts where accepted_at is not null')} as accepted,
      (select count(*)::int from operators where revoked_at is null) as operators,
      (select coalesce(array_agg(distinct named order by named), '{}') from controls,
        lateral (select case when scope = 'rail' then 'rail ' || target else scope end as named) p where paused) as paused,
      (select coalesce(jsonb_object_agg(ring, age), '{}') from rings) as key_ages,
      (select extract(epoch from clock_timestamp() - signed_at)::float8 from log_checkpoints order by size desc limit 1) as checkpoint_age,
      (select extract(epoch from clock_timestamp() - min(queued_at))::float8 from log_outbox) as queued_for`.execute(
    tx,
  )
  const [read] = rows
  if (read === undefined) throw new Error('a query without a table answered no row')
  return read
}
