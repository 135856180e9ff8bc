import { type CompiledQuery, type Insertable, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'
import { type Compilable, runInOrder, type Tx } from './pipeline.ts'

/**
 * A statement with its values. `run` sends it at once and returns its rows. Prepared statements of one transaction
 * that run without an `await` between them keep this order and travel together.
 */
export type Statement<R = unknown> = Compilable<R> & { run(tx: Tx): Promise<R[]> }

/** Stands for a value while the text is built. */
class Placeholder {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/**
 * A statement whose text does not depend on its values. It is built and compiled once, because that takes longer than to send it.
 * `build` gets a placeholder for each value, and may use it only where SQL expects a value.
 */
export function prepared<Values extends readonly unknown[], R>(
  build: (tx: Tx, ...placeholders: Values) => Compilable<R>,
): (...values: Values) => Statement<R> {
  let compiled: CompiledQuery<R> | undefined
  return (...values) => {
    const compile = (tx: Tx): CompiledQuery<R> => {
      compiled ??= build(tx, ...placeholdersFor(values)).compile(tx)
      const parameters = compiled.parameters.map((parameter) =>
        parameter instanceof Placeholder ? values[parameter.index] : parameter,
      )
      return { ...compiled, parameters }
    }
    return { compile, run: (tx) => runInOrder(tx, { compile }) }
  }
}

const placeholdersFor = <Values extends readonly unknown[]>(values: Values): Values =>
  values.map((_, index) => new Placeholder(index)) as unknown as Values

/** Inserts one row of plain values, with one text for each set of columns. */
export function preparedInsert<Table extends keyof Database>(
  table: Table,
): (row: Insertable<Database[Table]>) => Statement {
  const texts = new Map<string, (...values: unknown[]) => Statement>()
  return (row) => {
    const columns = Object.keys(row)
    const key = columns.join()
    const insert =
      texts.get(key) ??
      prepared((_, ...values: unknown[]) => {
        const names = columns.map((name) => sql.ref(name))
        return sql`insert into ${sql.table(table)} (${sql.join(names)}) values (${sql.join(values)})`
      })
    texts.set(key, insert)
    return insert(...Object.values(row))
  }
}
