import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { payoutTransitions } from '../../workflows/domain/payout.ts'
import * as messages from '../../workflows/payout/messages.ts'
import { verifies } from '../verifies.ts'
import { folders, read, road, root, withPictures } from './pictures.ts'

const page = 'docs/architecture.md'
const migration = read('activities/store/migrations/0001-payout-rail.ts')
let text = ''

beforeAll(() => {
  // `npm run docs:pictures` makes them anew.
  if (process.env['WRITE_DOCS'] === '1')
    for (const path of [page, 'README.md']) writeFileSync(join(root, path), withPictures(read(path)))
  text = read(page)
})

verifies(
  'docs.architecture',
  'its pictures and tables, and those of the README, are what the code makes of them',
  () => {
    expect(withPictures(text)).toBe(text)
    expect(withPictures(read('README.md'))).toBe(read('README.md'))
  },
)

verifies('docs.architecture', 'its table of rooms names every folder of the rooms and no other', () => {
  const named = [...section('The rooms').matchAll(/^\| `([^`]+\/)` \|/gm)].map(([, folder]) => folder)
  expect(named.sort()).toEqual(folders().sort())
})

verifies('docs.architecture', 'a call passes its steps in the order that the comment of the pipeline names', () => {
  const walked: [string, string, RegExp][] = [
    ['size', 'admit', /assertSize\(/],
    ['address limit', 'identifyWithin', /limits\.address\(/],
    ['credential', 'identifyWithin', /identify\(/],
    ['JSON', 'admit', /readValue\(/],
    ['proof over the body', 'travel', /authenticate\(\{/],
    ['schema', 'travel', /readInput\(/],
    ['screening', 'travel', /screenFreeText\(/],
    ['authorize', 'travel', /authorize\(input/],
    ['stored answer or join', 'grant', /joins: standing/],
    ['caller limit', 'grant', /assertGranted\(\)\s+const funding/],
    ['price', 'grant', /await fund\(/],
    ['handle', 'handled', /handle\(run, leads\)/],
    ['check output', 'handled', /checkOutput\(/],
    ['settle', 'handled', /settleDone\(/],
    ['answer', 'handled', /storedAnswer\(/],
  ]
  expect(walked.map(([step]) => step)).toEqual(road())
  const source = [read('api/execute.ts'), read('api/pay/turn.ts'), read('api/pay/run-call.ts')].join('\n')
  for (const name of ['admit', 'identifyWithin', 'travel', 'grant', 'handled']) {
    const body = bodyOf(source, name)
    const at = walked.filter(([, within]) => within === name).map(([, , call]) => body.search(call))
    expect(at, name).not.toContain(-1)
    expect(at, name).toEqual([...at].sort((a, b) => a - b))
  }
  expect(bodyOf(source, 'travel').search(/runCall\(/)).toBeGreaterThan(
    bodyOf(source, 'travel').search(/authenticate\(\{/),
  )
  expect(bodyOf(source, 'runCall').search(/takeTurn\(/)).toBeLessThan(bodyOf(source, 'runCall').search(/handled\(/))
})

verifies(
  'docs.architecture',
  'the pictures of calls, payments and transfers have the states that the database allows',
  () => {
    for (const [heading, columns] of [
      ['A call and its grant', ['grant_state', 'answer_state']],
      ['A payment', ['state', 'credit']],
      ['A transfer', ['status']],
    ] as const) {
      const table = { 'A call and its grant': 'calls', 'A payment': 'payments', 'A transfer': 'transfers' }[heading]
      const allowed = columns.flatMap((column) => checkedValues(table, column)).filter((value) => value !== 'none')
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

verifies('docs.architecture', 'the sequence picture names messages, activities and summaries of the workflow', () => {
  const sequence = section('One payout, step by step')
  const workflow = read('workflows/payout/workflow.ts')
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
})

verifies('docs.architecture', 'each invariant has two guards in files that exist, and a test of that name', () => {
  const rows = [...section('Two guards for each invariant').matchAll(/^\| (?!Invariant|-)(.+) \|$/gm)].map(
    ([, row = '']) => row.split(' | '),
  )
  expect(rows.length).toBeGreaterThan(8)
  for (const [invariant, first = '', second = '', proof = ''] of rows) {
    for (const guard of [first, second]) expect(filesIn(guard).length, `${invariant}: ${guard}`).toBeGreaterThan(0)
    const [, name = '', file = ''] = proof.match(/^“(.+)” in `([^`]+)`$/) ?? []
    expect(existsSync(join(root, file)), `${invariant}: ${proof}`).toBe(true)
    expect(read(file), `${invariant}: ${file}`).toContain(name)
  }
})

function section(heading: string): string {
  const parts = text.split(/^#{2,3} /m)
  const found = parts.find((part) => part.startsWith(`${heading}\n`))
  if (found === undefined) throw new Error(`${page} has no section ${heading}`)
  return found
}

function pictured(heading: string): Set<string> {
  const edges = [...section(heading).matchAll(/^ {2}(\S+) --> (\S+?)(?::.*)?$/gm)]
  return new Set(edges.flatMap(([, from = '', to = '']) => [from, to]).filter((state) => state !== '[*]'))
}

function checkedValues(table: string, column: string): string[] {
  const create = migration.split(`create table ${table} (`)[1]?.split('`,')[0] ?? ''
  const list =
    create.match(new RegExp(`^\\s*${column} text not null[^\\n]*check \\(${column} in \\(([^)]*)\\)`, 'm'))?.[1] ?? ''
  return [...list.matchAll(/'(\w+)'/g)].map(([, value = '']) => value)
}

const bodyOf = (source: string, name: string): string =>
  source.match(new RegExp(`function ${name}\\([\\s\\S]*?\\n}\\n`))?.[0] ?? ''
const filesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([\w./-]+\/[\w./-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => existsSync(join(root, path)))
