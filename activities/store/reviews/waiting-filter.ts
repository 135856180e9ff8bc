import { type RawBuilder, sql } from 'kysely'

/** Leaves what has waited for so long, and what so much money depends on; what has no price is left out by `minUsd`. */
export type WaitingFilter = {
  olderThanSeconds?: number | undefined
  /** A decimal number. */
  minUsd?: string | undefined
}

type Columns = {
  since: string
  amount: (minUsd: string) => RawBuilder<boolean>
}

/** The filter on these columns. The time is that of the statement, so that an index on the column is used. */
export function waitingAs(
  { olderThanSeconds, minUsd }: WaitingFilter,
  { since, amount }: Columns,
): RawBuilder<boolean> {
  const conditions = [sql<boolean>`true`]
  if (olderThanSeconds !== undefined)
    conditions.push(
      sql<boolean>`${sql.ref(since)} <= statement_timestamp() - ${olderThanSeconds} * interval '1 second'`,
    )
  if (minUsd !== undefined) conditions.push(amount(minUsd))
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** Whether a column of US dollars is at least so much. */
export const amountOf =
  (column: string) =>
  (minUsd: string): RawBuilder<boolean> =>
    sql<boolean>`${sql.ref(column)} >= ${minUsd}::numeric`

/** Whether the total of the quote that a column names is at least so much. */
export const totalOfQuote =
  (column: string) =>
  (minUsd: string): RawBuilder<boolean> =>
    sql<boolean>`exists (select from quotes q where q.quote_id = ${sql.ref(column)} and q.total_usd >= ${minUsd}::numeric)`

/** For what has no price. */
export const noAmount = (): RawBuilder<boolean> => sql<boolean>`false`
