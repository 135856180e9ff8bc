import { sql } from 'kysely'

export type Lease = { holder: string; ms: number }

/** The time in `ms` milliseconds, by the clock of Postgres. */
export const leaseEnd = (ms: number) =>
  sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`
