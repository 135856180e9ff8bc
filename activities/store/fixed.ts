import { type CompiledQuery, type Insertable, sql } from 'kysely'
import type { Tx } from './db.ts'
import type { Statement } from './pipeline.ts'
import type { Database } from './schema.ts'

/** Stands for a value while a text is made. */
class Place {
  readonly at: number
  constructor(at: number) {
    this.at = at
  }
}

/**
 * A statement whose text does not depend on its values: it is built and printed once, because that takes longer than to send it.
 * `build` gets a place for each value, and may put it only where a value goes.
 */
export function fixed<Values extends readonly unknown[], R>(
  build: (tx: Tx, ...places: Values) => Statement<R>,
): (...values: Values) => Statement<R> {
  let made: CompiledQuery<R> | undefined
  return (...values) => ({
    compile: (tx) => {
      made ??= build(tx, ...(values.map((_, at) => new Place(at)) as unknown as Values)).compile(tx)
      const parameters = made.parameters.map((given) => (given instanceof Place ? values[given.at] : given))
      return { ...made, parameters }
    },
  })
}

/** Inserts one row of plain values; a text for each set of columns. */
export function fixedInsert<Table extends keyof Database>(
  table: Table,
): (row: Insertable<Database[Table]>) => Statement {
  const texts = new Map<string, (...values: unknown[]) => Statement>()
  return (row) => {
    const columns = Object.keys(row)
    const key = columns.join()
    const insert =
      texts.get(key) ??
      fixed(
        (_, ...places: unknown[]) =>
          sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))}) values (${sql.join(places)})`,
      )
    texts.set(key, insert)
    return insert(...Object.values(row))
  }
}
