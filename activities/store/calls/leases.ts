import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { prepared } from '../postgres/prepared.ts'

/**
 * Takes one of `slots` places at a resource for `ms`. Returns undefined if live holders have all places. The place of
 * a dead holder is free after its time.
 */
export async function takeLease(
  tx: Tx,
  resource: string,
  holder: string,
  slots: number,
  ms: number,
): Promise<number | undefined> {
  // Usually there is no other holder, and any place is free.
  const [taken] = await takeGiven(resource, Math.floor(Math.random() * slots), holder, ms).run(tx)
  if (taken !== undefined) return taken.slot
  const [free] = await takeAny(resource, slots - 1, holder, ms).run(tx)
  return free?.slot
}

/** Takes the place that `free` selects as `slot`, unless a live holder has it. */
const insertAt = (resource: string, holder: string, ms: number, free: RawBuilder<unknown>) => sql<{
  slot: number
}>`
  insert into update_leases (resource, slot, holder, lease_until)
  select ${resource}, free.slot, ${holder}, clock_timestamp() + ${ms} * interval '1 millisecond' from (${free}) as free
  on conflict (resource, slot) do update set holder = excluded.holder, lease_until = excluded.lease_until
    where update_leases.lease_until <= clock_timestamp()
  returning slot`

const takeGiven = prepared((_, resource: string, slot: number, holder: string, ms: number) =>
  insertAt(resource, holder, ms, sql`select ${slot}::int as slot`),
)
const takeAny = prepared((_, resource: string, last: number, holder: string, ms: number) =>
  insertAt(
    resource,
    holder,
    ms,
    sql`select place.slot from generate_series(0, ${last}::int) as place(slot)
      where not exists (select 1 from update_leases l where l.resource = ${resource} and l.slot = place.slot and l.lease_until > clock_timestamp())
      order by random() limit 1`,
  ),
)

export async function dropLease(
  tx: Tx,
  resource: string,
  slot: number,
  holder: string,
): Promise<void> {
  await deleteLease(resource, slot, holder).run(tx)
}

const deleteLease = prepared((tx, resource: string, slot: number, holder: string) =>
  tx
    .deleteFrom('update_leases')
    .where('resource', '=', resource)
    .where('slot', '=', slot)
    .where('holder', '=', holder),
)

export type Lease = { holder: string; ms: number }

/** The time in `ms` milliseconds, by the clock of Postgres. */
export const leaseEnd = (ms: number) =>
  sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`
