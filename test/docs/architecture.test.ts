import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { payoutTransitions } from '#domain/payouts/payout.ts'
import * as messages from '../../workflows/payouts/messages.ts'
import { requirements } from '../requirements/index.ts'
import { verifies } from '../verifies.ts'
import { folderNames, layerFolders, read, root, withPictures } from './pictures.ts'

const page = 'docs/architecture.md'
const generated = [page, 'README.md', 'docs/reference/tasks.md', 'docs/reference/operations.md']
const migration = ['0005-payments', '0006-calls', '0007-payouts']
  .map((name) => read(`activities/store/migrations/${name}.ts`))
  .join('\n')
let text = ''

beforeAll(() => {
  // `npm run docs:pictures` writes them.
  if (process.env['WRITE_DOCS'] === '1')
    for (const path of generated) writeFileSync(join(root, path), withPictures(read(path)))
  text = read(page)
})

verifies('docs.architecture', 'generated parts of the documents agree with the code', () => {
  for (const path of generated) expect(withPictures(read(path)), path).toBe(read(path))
})

verifies('docs.architecture', 'its tables name each layer, and each folder of one once', () => {
  const rows = [...section('The layers').matchAll(/^\| ((?:`[^`]+` ?)+)\|/gm)]
  const named = rows.flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  expect(named.sort()).toEqual(
    [...layerFolders.map((layer) => `${layer}/`), ...folderNames()].sort(),
  )
})

verifies(
  'docs.architecture',
  'the pictures of calls, payments and transfers have the table’s states',
  () => {
    for (const [heading, columns] of [
      ['A call and its grant', ['grant_state', 'answer_state']],
      ['A payment', ['state', 'credit']],
      ['A transfer', ['status']],
    ] as const) {
      const table = {
        'A call and its grant': 'calls',
        'A payment': 'payments',
        'A transfer': 'transfers',
      }[heading]
      const allowed = columns
        .flatMap((column) => checkedValues(table, column))
        .filter((value) => value !== 'none')
      expect([...pictured(heading)].sort(), heading).toEqual([...new Set(allowed)].sort())
    }
  },
)

verifies(
  ['docs.architecture', 'payout.state.guarded-in-sql'],
  'the database allows the moves of the state table and no others',
  () => {
    const pure = Object.entries(payoutTransitions).flatMap(([from, moves]) =>
      Object.values(moves).map((to) => `${from} ${to}`),
    )
    const list = migration.match(/\(old\.state, new\.state\) not in \((.*)\)\n/)?.[1] ?? ''
    const moves = [...list.matchAll(/\('(\w+)','(\w+)'\)/g)].map(([, from, to]) => `${from} ${to}`)
    const stays = checkedValues('payouts', 'state').map((state) => `${state} ${state}`)
    expect(['none created', ...moves].sort()).toEqual([...pure, ...stays].sort())
  },
)

verifies(
  'docs.architecture',
  'the sequence picture has the messages and activities of the workflow',
  () => {
    const sequence = section('One payout, step by step')
    const workflow = ['run', 'workflow'].map((file) => read(`workflows/payouts/${file}.ts`)).join()
    const updates = Object.values(messages).filter(({ type }) => type === 'update')
    const sent = [...sequence.matchAll(/->>W: Update (\w+)/g)].map(([, name]) => name)
    expect(sent).toEqual(updates.map(({ name }) => name))
    const steps = [...sequence.matchAll(/^ {2}W->>A: (\w+) \(([^)]+)\)/gm)]
    expect(steps.map(([, name]) => name)).toEqual([
      'createPayout',
      'authorizePayout',
      'reserveTransfer',
      'signTransfer',
      'submitTransfer',
      'confirmTransfer',
      'confirmTransfer',
    ])
    for (const [, name, summary] of steps) {
      expect(workflow).toContain(`.${name}(`)
      expect(workflow).toContain(`'${summary}'`)
    }
  },
)

verifies(
  'docs.architecture',
  'each invariant has two guards in files that exist, and requirements',
  () => {
    const rows = [
      ...section('Two guards for each invariant').matchAll(/^\| (?!Invariant|-)(.+) \|$/gm),
    ].map(([, row = '']) => row.split(' | '))
    expect(rows.length).toBeGreaterThan(8)
    for (const [invariant, first = '', second = '', proof = ''] of rows) {
      for (const guard of [first, second])
        expect(filesIn(guard).length, `${invariant}: ${guard}`).toBeGreaterThan(0)
      const ids = proof.split(', ').map((id) => id.replaceAll('`', ''))
      expect(
        ids.filter((id) => !(id in requirements)),
        invariant,
      ).toEqual([])
    }
  },
)

function section(heading: string): string {
  const parts = text.split(/^#{2,3} /m)
  const found = parts.find((part) => part.startsWith(`${heading}\n`))
  if (found === undefined) throw new Error(`${page} has no section ${heading}`)
  return found
}

function pictured(heading: string): Set<string> {
  const edges = [...section(heading).matchAll(/^ {2}(\S+) --> (\S+?)(?::.*)?$/gm)]
  return new Set(
    edges.flatMap(([, from = '', to = '']) => [from, to]).filter((state) => state !== '[*]'),
  )
}

function checkedValues(table: string, column: string): string[] {
  const create = migration.split(`create table ${table} (`)[1]?.split('`,')[0] ?? ''
  const list =
    create.match(
      new RegExp(`^\\s*${column} text not null[^\\n]*check \\(${column} in \\(([^)]*)\\)`, 'm'),
    )?.[1] ?? ''
  return [...list.matchAll(/'(\w+)'/g)].map(([, value = '']) => value)
}

const filesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([\w./-]+\/[\w./-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => existsSync(join(root, path)))
