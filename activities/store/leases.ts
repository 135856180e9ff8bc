import { sql } from 'kysely'
import type { Tx } from './db.ts'
import { fixed } from './fixed.ts'
import { send } from './pipeline.ts'

/**
 * Takes one of `slots` places at a resource for `ms`, or returns undefined when all are held by live holders.
 * A dead holder's place is taken over when its time is up.
 */
export async function takeLease(
  tx: Tx,
  resource: string,
  holder: string,
  slots: number,
  ms: number,
): Promise<number | undefined> {
  const [taken] = await send(tx, insertLease(resource, holder, slots - 1, ms))
  return taken?.slot
}

const insertLease = fixed(
  (_, resource: string, holder: string, last: number, ms: number) => sql<{ slot: number }>`
    insert into update_leases (resource, slot, holder, lease_until)
    select ${resource}, free.slot, ${holder}, clock_timestamp() + ${ms} * interval '1 millisecond'
    from (select place.slot from generate_series(0, ${last}::int) as place(slot)
          where not exists (select 1 from update_leases l where l.resource = ${resource} and l.slot = place.slot and l.lease_until > clock_timestamp())
          order by random() limit 1) as free
    on conflict (resource, slot) do update set holder = excluded.holder, lease_until = excluded.lease_until
      where update_leases.lease_until <= clock_timestamp()
    returning slot`,
)

export async function dropLease(tx: Tx, resource: string, slot: number, holder: string): Promise<void> {
  await send(tx, deleteLease(resource, slot, holder))
}

const deleteLease = fixed((tx, resource: string, slot: number, holder: string) =>
  tx.deleteFrom('update_leases').where('resource', '=', resource).where('slot', '=', slot).where('holder', '=', holder),
)
