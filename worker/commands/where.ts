import { type Command, InvalidArgumentError, Option } from 'commander'

export type Where<Column extends string> = { column: Column; value: string }

/** `--where NAME=VALUE`, any number of times, by one of these columns. */
export function addWhere<Column extends string>(
  command: Command,
  columns: readonly Column[],
): Command {
  const text = `only those that are so, such as rail=packetops; may be repeated, and all hold: ${columns.join(', ')}`
  const where = new Option('--where <name=value>', text).default([], 'none')
  return command.addOption(
    where.argParser((given, before: Where<Column>[]) => [...before, readWhere(given, columns)]),
  )
}

function readWhere<Column extends string>(
  given: string,
  columns: readonly Column[],
): Where<Column> {
  const [, name, value] = /^([a-z_0-9]+)=(.+)$/.exec(given) ?? []
  const column = columns.find((known) => known === name)
  if (column === undefined || value === undefined)
    throw new InvalidArgumentError(`NAME=VALUE, where NAME is one of ${columns.join(', ')}`)
  return { column, value }
}

/** The items that are as all of these say; what is null is `none`. */
export const chosen = <Column extends string, Item extends Record<Column, unknown>>(
  items: readonly Item[],
  where: readonly Where<Column>[],
): Item[] =>
  items.filter((item) =>
    where.every(({ column, value }) => String(item[column] ?? 'none') === value),
  )
