import { type RawBuilder, sql } from 'kysely'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { countRows, type Row, readRows, type Table } from '../postgres/rows.ts'
import type { ReviewFilter } from './review-decisions.ts'
import { noAmount, waitingAs } from './waiting-filter.ts'

/** How rows of a table wait for a decision. */
type Waiting = {
  key: string
  /** The column of the state, and the state that waits. */
  state: readonly [column: string, waits: string]
  /** The column of the time since when a row waits. */
  since: string
  amount?: (minUsd: string) => RawBuilder<boolean>
  /** Whether a row is of a rail; without it none is. */
  rail?: (rail: RailKey) => RawBuilder<unknown>
  /** Rows that were decided are not listed, whatever state is named. */
  only?: true
}

/** The rows that wait for a decision, the longest waiting first; of a named state also those that were decided. */
export function waitingRows<Of extends Table>(
  table: Of,
  { key, state: [column, waits], since, amount = noAmount, rail: ofRail = noRail, only }: Waiting,
) {
  const chosen = ({ subjectId, state, rail, ...filter }: ReviewFilter) => sql`
    from ${sql.table(table)} where ${sql.ref(column)} = ${state ?? waits}
      and (${only !== true} or ${sql.ref(column)} = ${waits}) and ${waitingAs(filter, { since, amount })}
      and ${subjectId === undefined ? sql`true` : sql`${sql.ref(key)} = ${subjectId}`}
      and ${rail === undefined ? sql`true` : ofRail(rail)}`
  return {
    list(tx: Tx, filter: ReviewFilter, most: number): Promise<Row<Of>[]> {
      const order = sql`${sql.ref(since)}, ${sql.ref(key)}`
      const listed = { columns: sql`*`, from: chosen(filter), order }
      return readRows(tx, listed, { offset: 0, limit: most })
    },
    count: (tx: Tx, filter: ReviewFilter): Promise<number> => countRows(tx, chosen(filter)),
  }
}

const noRail = (): RawBuilder<boolean> => sql<boolean>`false`
