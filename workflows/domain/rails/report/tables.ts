import { canonicalJson } from '../../core/canonical-json.ts'
import { pointerOf } from '../../core/json-pointer.ts'
import { isObject } from '../../core/plain-object.ts'
import type { Work } from '../rail.ts'
import { type Cell, cellOf, currencyIn, MINOR_ENDING, shortText } from './cells.ts'
import { majorOf } from './decimal-text.ts'
import type { ReportPlan } from './plan.ts'

/** Rows of cells under columns; those of `amounts` are in major units of the currency of their row. */
export type Table = {
  name: string
  columns: readonly string[]
  amounts: ReadonlySet<string>
  rows: readonly (readonly Cell[])[]
}

/** A value of a result that is in no list. */
export type Single = { path: readonly string[]; value: Cell; currency: string | undefined }
/** The lists of a result with rows as tables, the names of its empty lists, and all other values. */
export type Tabled = { tables: Table[]; empty: string[]; singles: Single[] }

/** A zip with more files is not opened; no rail has as many lists. */
const TABLES_MAX = 40
/** Members of rows that are left over share a column: a table stays linear in the size of its list. */
const COLUMNS_MAX = 64
const OTHER_COLUMN = 'other'
const fileName = /^[a-z][a-z0-9_]{0,63}$/
const reserved = new Set(['summary', 'notes'])

type Order = Pick<ReportPlan, 'tables' | 'columns'>

/** Takes a result apart; a list of a member is named after its path (`terms_terminations`). */
export function tabled(result: unknown, { tables: order, columns: first }: Order): Tabled {
  const singles: Single[] = []
  const empty: string[] = []
  const tables = new Map<string, Table>()
  const visit = (path: readonly string[], value: unknown, currency: string | undefined): void => {
    const name = path.join('_')
    const text = shortText(value)
    if (Array.isArray(value)) {
      if (value.length === 0) empty.push(path.join(' '))
      else if (isFree(name, tables)) tables.set(name, tableOf(value, { name, first, currency }))
    } else if (text === undefined && isObject(value)) {
      const inside = currencyIn(value, currency)
      for (const member of Object.keys(value).sort())
        visit([...path, member], value[member], inside)
    } else singles.push({ path, value: text ?? cellOf(value), currency })
  }
  visit([], result, undefined)
  const sorted = [...tables.values()].sort((a, b) => rankIn(order, a.name) - rankIn(order, b.name))
  return { tables: sorted, empty, singles }
}

/** The place of a name in a list, after all of them for one that is not in it. */
function rankIn(names: readonly string[], name: string): number {
  const at = names.indexOf(name)
  return at < 0 ? names.length : at
}

const isFree = (name: string, tables: ReadonlyMap<string, Table>): boolean =>
  fileName.test(name) && !reserved.has(name) && !tables.has(name) && tables.size < TABLES_MAX

/** The single values as a table. */
export function summaryOf(singles: readonly Single[]): Table {
  const rows = singles.map(({ path, value, currency }): Cell[] => {
    const name = path.at(-1) ?? ''
    const major = name.endsWith(MINOR_ENDING) ? majorOf(value, currency) : undefined
    return [pointerOf(path), major ?? value, major === undefined ? null : (currency ?? null)]
  })
  return { name: 'summary', columns: ['pointer', 'value', 'currency'], amounts: new Set(), rows }
}

/** Findings and gaps as a table. */
export function notesOf({ findings, gaps }: Pick<Work<unknown>, 'findings' | 'gaps'>): Table {
  const found = findings.map(({ code, detail, citations }): Cell[] => {
    return ['finding', code, detail, null, null, cellOf(citations)]
  })
  const missing = gaps.map(({ code, kind, detail, pointer, filled_by, citations }): Cell[] => {
    return [`${kind} gap`, code, detail, pointer, filled_by, cellOf(citations)]
  })
  const rows = [...found, ...missing]
  const columns = ['kind', 'code', 'detail', 'filled_at', 'filled_by', 'citations']
  return { name: 'notes', columns, amounts: new Set(), rows }
}

type Row = Record<string, unknown>
type Form = { name: string; first: readonly string[]; currency: string | undefined }

function tableOf(items: readonly unknown[], { name, first, currency }: Form): Table {
  if (!items.every(isObject)) {
    const rows = items.map((item) => [cellOf(item, currency)])
    return { name, columns: ['value'], amounts: new Set(), rows }
  }
  const rows = items.map((item) => flatRow(item))
  const all = columnsOf(rows, first)
  const columns = all.slice(0, COLUMNS_MAX)
  const left = new Set(all.slice(COLUMNS_MAX))
  const converted = columns.filter((column) => isConverted(column, rows, columns, currency))
  const shown = shownColumns(columns, new Set(converted), left.size > 0)
  return {
    name,
    columns: shown.map(({ title }) => title),
    amounts: new Set(converted.map(withoutEnding)),
    rows: rows.map((row) => shown.map(({ cell }) => cell(row, currencyIn(row, currency), left))),
  }
}

/** The members of an object become members of its row. */
function flatRow(item: Record<string, unknown>): Row {
  const isNested = (value: unknown) => isObject(value) && shortText(value) === undefined
  if (!Object.values(item).some(isNested)) return item
  const entries = Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    if (!isNested(value)) return [[name, value]]
    return Object.entries(value as Row).map(([inner, one]) => [`${name}_${inner}`, one])
  })
  return Object.fromEntries(entries)
}

/** The columns of a plan in its order, then others by name, then citations. */
function columnsOf(rows: readonly Row[], first: readonly string[]): string[] {
  const members = new Set(rows.flatMap((row) => Object.keys(row)))
  const rank = (column: string): number => {
    if (column.startsWith('citation')) return first.length + 1
    return rankIn(first, column)
  }
  return [...members].sort().sort((a, b) => rank(a) - rank(b))
}

const withoutEnding = (column: string): string => column.slice(0, -MINOR_ENDING.length)
const valueIn = (row: Row, column: string): unknown =>
  Object.hasOwn(row, column) ? row[column] : undefined

/** Whether every amount of a column has a known currency, and there is one. */
function isConverted(
  column: string,
  rows: readonly Row[],
  columns: readonly string[],
  currency: string | undefined,
): boolean {
  if (!column.endsWith(MINOR_ENDING) || columns.includes(withoutEnding(column))) return false
  const given = rows.filter((row) => (valueIn(row, column) ?? null) !== null)
  const isKnown = (row: Row) => majorOf(row[column], currencyIn(row, currency)) !== undefined
  return given.length > 0 && given.every(isKnown)
}

type Column = {
  title: string
  cell(row: Row, currency: string | undefined, left: ReadonlySet<string>): Cell
}

function shownColumns(
  columns: readonly string[],
  converted: ReadonlySet<string>,
  hasMore: boolean,
): Column[] {
  const last = columns.findLastIndex((column) => converted.has(column))
  const needsCurrency = last >= 0 && !columns.includes('currency')
  const shown = columns.map((column): Column => {
    if (!converted.has(column))
      return { title: column, cell: (row, currency) => cellOf(valueIn(row, column), currency) }
    const title = withoutEnding(column)
    return { title, cell: (row, currency) => majorOf(valueIn(row, column), currency) ?? null }
  })
  if (needsCurrency)
    shown.splice(last + 1, 0, { title: 'currency', cell: (_, currency) => currency ?? null })
  return hasMore ? [...shown, otherColumn] : shown
}

const otherColumn: Column = {
  title: OTHER_COLUMN,
  cell: (row, _currency, left) =>
    canonicalJson(Object.fromEntries(Object.entries(row).filter(([name]) => left.has(name)))),
}
