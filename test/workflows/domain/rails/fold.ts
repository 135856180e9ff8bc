import type { Rail, Work } from '#domain/rails/rail.ts'

/** The work of a rail with its lists taken row by row in turns, each row checked and the head without the lists. */
export function byFold<Input extends object, Result>(
  rail: Rail<Input, Result>,
  input: Input,
): Work<Result> {
  const { rows } = rail
  if (rows === undefined) throw new Error(`${rail.key} has no row lists`)
  const members = Object.entries(input)
  const lists = members.flatMap(([name, list]) =>
    name in rows.lists ? [{ name, list: list as unknown[] }] : [],
  )
  const fold = rows.open(
    rows.head.parse(Object.fromEntries(members.filter(([name]) => !(name in rows.lists)))),
  )
  const longest = Math.max(...lists.map(({ list }) => list.length))
  for (let index = 0; index < longest; index++)
    for (const { name, list } of lists.toReversed()) {
      if (index < list.length) fold.take(name, rows.lists[name]?.parse(list[index]), index)
    }
  return fold.close()
}
