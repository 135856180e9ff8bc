import { sql } from 'kysely'

export type Lease = { holder: string; ms: number }

/** The end of a lease of so many milliseconds, by Postgres' clock. */
export const leaseEnd = (ms: number) =>
  sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`
