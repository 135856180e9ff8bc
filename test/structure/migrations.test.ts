import { expect } from 'vitest'
import { migrations, ourSchema } from '../../activities/store/postgres/migrate.ts'
import { verifies } from '../verifies.ts'

const made =
  /^create (?:(?:or replace|unique|unlogged|constraint) )*(table|index|function|trigger|view) (\w+)/

const statements = Object.entries(migrations).flatMap(([migration, each]) =>
  each.map((statement) => ({ migration, statement })),
)

/** What the migrations make, with the table of a trigger, whose name is its own only there. */
function objects(): { migration: string; kind: string; name: string; table: string }[] {
  return statements.flatMap(({ migration, statement }) => {
    const [, kind = '', name = ''] = made.exec(statement) ?? []
    const [, table = name] = /\bon (\w+)/.exec(statement) ?? []
    return kind === '' ? [] : [{ migration, kind, name, table }]
  })
}

verifies('store.subjects', 'the first schema makes each thing once, in its final form', () => {
  // A later version changes the tables of the releases before it.
  expect(ourSchema.version).toBe(1)
  const others = statements
    .map(({ statement }) => statement)
    .filter((statement) => !made.test(statement) && !statement.startsWith('insert into'))
  // Two tables that refer to each other: the second adds the reference of the first.
  expect(others.filter((each) => !/^alter table \w+ add [\w ]*foreign key/.test(each))).toEqual([])
  const names = objects().map(({ kind, name, table }) =>
    kind === 'trigger' ? `trigger ${name} on ${table}` : `${kind} ${name}`,
  )
  expect(names.length).toBeGreaterThan(500)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

verifies('store.subjects', 'the indexes of a table stand in the file of its subject', () => {
  const all = objects()
  const homes = new Map(
    all.filter(({ kind }) => kind === 'table').map(({ name, migration }) => [name, migration]),
  )
  const apart = all.filter(
    ({ kind, table, migration }) => kind === 'index' && homes.get(table) !== migration,
  )
  expect(apart).toEqual([])
})
