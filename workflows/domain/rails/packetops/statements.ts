import { isJson } from '../text/json.ts'
import { keyOf, type Table, tableIn } from '../text/table.ts'
import { type Part, sentencesOf } from '../text/words.ts'
import { openCritical, type Verdict, verdictOn } from './rules.ts'
import { verdictOnSentence } from './sentences.ts'

/** What a text says against the control that it is evidence of; `rows` counts the rows of a table that say so. */
type Statement = Part & { code: Verdict; about: string; rows: number }
/** A value that a text gives by name, once. */
type Fact = Part & { key: string; value: string }
/** Decision: a text that says more against its control is quoted so often. */
const STATEMENTS_MAX = 50

export type Read = { statements: Statement[]; facts: Fact[]; table: Table | undefined }

/** Reads a text as what it is: JSON, a table, or prose with lines of names and values. */
export function readText(text: string): Read {
  if (isJson(text)) return fromMembers(membersOf(text))
  const table = tableIn(text)
  const ofRows = table === undefined ? [] : fromRows(table)
  if (table?.isTitled === false) return { statements: ofRows, facts: [], table }
  const lines = namedLines(text)
  const read = fromMembers(lines)
  // A document that names no approver is unfinished; only records show that something was done without one.
  const against = read.statements.filter(({ code }) => code !== 'approval_missing')
  const starts = against.map(({ from }) => from)
  let next = 0
  const prose = sentencesOf(text).flatMap(({ from, to }): Statement[] => {
    while (next < starts.length && (starts[next] ?? to) < from) next += 1
    const isNamed = (starts[next] ?? to) < to
    const code = isNamed ? undefined : verdictOnSentence(text.slice(from, to))
    return code === undefined ? [] : [{ code, about: 'text', rows: 0, from, to }]
  })
  const statements = [...ofRows, ...against, ...prose].slice(0, STATEMENTS_MAX)
  return { ...read, statements, table }
}

/** The members of JSON whose values are no lists and no objects. */
function membersOf(text: string): Fact[] {
  const member =
    /(?<=[{,]\s*)"((?:[^"\\]|\\.)*)"\s*:\s*(true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\]|\\.)*")/g
  return [...text.matchAll(member)].map(({ 0: whole, 1: name = '', 2: raw = '', index }) => ({
    key: keyOf(name),
    value: raw.startsWith('"') ? String(JSON.parse(raw)) : raw,
    from: index,
    to: index + whole.length,
  }))
}

/** `Owner: A. Okafor`, `mfa_enforced = false`, also as an item of a list. */
function namedLines(text: string): Fact[] {
  const line = /^[ \t]*(?:[-*•][ \t]+)?(\p{L}[\p{L}\p{N} \u00a0_\-/()]{0,60})[:=](.*)$/gmu
  return [...text.matchAll(line)].flatMap(({ 0: whole, 1: name = '', 2: said = '', index }) => {
    const value = said.trim()
    const from = index + whole.search(/\S/)
    return value === ''
      ? []
      : [{ key: keyOf(name), value, from, to: index + whole.trimEnd().length }]
  })
}

function fromMembers(members: Fact[]): Read {
  const times = new Map<string, number>()
  for (const { key } of members) times.set(key, (times.get(key) ?? 0) + 1)
  const statements = members.flatMap(({ key, value, from, to }): Statement[] => {
    const code = verdictOn(key, value)
    return code === undefined ? [] : [{ code, about: key, rows: 0, from, to }]
  })
  return {
    statements: statements.slice(0, STATEMENTS_MAX),
    facts: members.filter(({ key }) => times.get(key) === 1),
    table: undefined,
  }
}

/** One statement of each column and kind, at its first row. */
function fromRows({ rows }: Table): Statement[] {
  const found = new Map<string, Statement>()
  const note = (code: Verdict, about: string, { from, to }: Part) => {
    const known = found.get(`${code} ${about}`)
    if (known === undefined) found.set(`${code} ${about}`, { code, about, rows: 1, from, to })
    else known.rows += 1
  }
  for (const row of rows) {
    if (openCritical(row.cells)) note('critical_open', 'severity', row)
    for (const [column, cell] of row.cells) {
      const code = verdictOn(column, cell)
      if (code !== undefined) note(code, column, row)
    }
  }
  return [...found.values()]
}

/** Whether a row of a table says something against its control. */
export const failingRow = (cells: ReadonlyMap<string, string>): boolean =>
  openCritical(cells) || [...cells].some(([column, cell]) => verdictOn(column, cell) !== undefined)
