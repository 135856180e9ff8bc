import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Line } from '../../api/services/recovery/line.ts'

const columns = ['id', 'kind', 'state', 'code', 'rail', 'usage', 'agent'] as const
export type Where = { column: (typeof columns)[number]; value: string }

/** `--where NAME=VALUE`, any number of times. */
export function addWhere(command: Command): Command {
  const text = `only those that are so, such as rail=packetops; may be repeated, and all hold: ${columns.join(', ')}`
  const where = new Option('--where <name=value>', text).default([], 'none')
  return command.addOption(
    where.argParser((given, before: Where[]) => [...before, readWhere(given)]),
  )
}

function readWhere(given: string): Where {
  const [, name, value] = /^([a-z]+)=(.+)$/.exec(given) ?? []
  const column = columns.find((known) => known === name)
  if (column === undefined || value === undefined)
    throw new InvalidArgumentError(`NAME=VALUE, where NAME is one of ${columns.join(', ')}`)
  return { column, value }
}

/** The lines that are as all of these say. */
export const chosen = (lines: readonly Line[], where: readonly Where[]): Line[] =>
  lines.filter((line) => where.every(({ column, value }) => line[column] === value))
