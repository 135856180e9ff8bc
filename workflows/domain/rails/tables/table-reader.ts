import type { z } from 'zod'
import type { Headings } from '../form.ts'
import type { ColumnReader } from '../input/columns.ts'
import type { ListCorrections, MoneyUnit } from '../input/corrections.ts'
import type { LeftOut, Reading } from '../input/reading.ts'
import { keyOf } from '../text/table.ts'
import { decimalText, scaled } from '../values/amounts.ts'
import {
  type Column,
  isNothing,
  isPlain,
  lookAtNumber,
  lookAtTime,
  valueIn,
} from './table-cells.ts'
import { type Field, feedByHeadings, headerIn, rowFields } from './table-columns.ts'

/** A record of a table with its line in the file, from 1. */
export type CellRecord = { line: number; cells: readonly string[] }
/** What a file leaves open that its caller has to say, for a field and the first cell of it. */
export type Question = { field: string; line: number; cell: string; message: string }

/** Where the rows of a table go. */
export type TableTo = {
  row(value: Record<string, unknown>, line: number): void
  malformed(what: string, line: number): void
  question(question: Question): void
  /** The header cannot be read. */
  refuse(line: number, what: string): never
}
export type TableOf = {
  schema: z.ZodType
  headings: Headings
  reader: ColumnReader
  corrections: ListCorrections
}

/** The header of a table is among so many of its first records. */
export const HEADER_WITHIN = 50
/** Rows that wait for a cell that decides how theirs are read. */
const HELD_MAX = 200_000
const SUM_PLACES = 18

/**
 * Reads the records of a table by the fields of a list. How numbers and dates are written is decided for each column by the cells that
 * allow one reading only; rows before them wait, and what no cell decides is a question.
 */
export class TableReader {
  readonly #of: TableOf
  readonly #to: TableTo
  readonly #row: ReturnType<typeof rowFields>
  readonly #held: CellRecord[] = []
  readonly #leftOut: LeftOut[] = []
  /** What the rows of each number have come to: safe whole numbers, and all others in so many places. */
  readonly #sums = new Map<string, { whole: number; parts: bigint }>()
  readonly #summed: readonly string[]
  readonly #differing: string[] = []
  #columns: Column[] = []
  #header: { line: number; cells: readonly string[] } | undefined
  #leftOutCount = 0

  constructor(of: TableOf, to: TableTo) {
    this.#of = of
    this.#to = to
    this.#row = rowFields(of.schema)
    this.#summed = [...this.#row.fields.values()]
      .filter(({ kind }) => kind === 'number' || kind === 'whole')
      .map(({ name }) => name)
  }

  /** How many cells of a record name fields, to find the header. */
  names(records: readonly (readonly string[])[]): { at: number; names: number } {
    const { headings, corrections } = this.#of
    const keys = new Set(
      [...this.#row.fields.keys()].flatMap((field) =>
        [field, ...(headings[field] ?? [])].map(keyOf),
      ),
    )
    const given = new Set(Object.values(corrections.columns ?? {}))
    return headerIn(records, (cell) => given.has(cell) || keys.has(keyOf(cell)))
  }

  /** Takes the records up to the header, which is the last of them. */
  begin(records: readonly CellRecord[]): void {
    for (const { line } of records.slice(0, -1)) this.#leaveOut(line, 'above the header')
    const header = records.at(-1)
    if (header === undefined) return
    const cells = header.cells.map((cell) => cell.trim())
    this.#header = { line: header.line, cells }
    const { reader, headings } = this.#of
    feedByHeadings(cells, { headings, fields: this.#row.fields, reader })
    for (const name of cells) if (name !== '') reader.note(name)
    this.#columns = cells.flatMap((name, at) => this.#column(name, at))
  }

  #column(name: string, at: number): Column[] {
    const { reader, corrections } = this.#of
    const { line = 1, cells = [] } = this.#header ?? {}
    if (name === '') return []
    const names = reader.fieldsOf(name)
    if (cells.indexOf(name) !== at)
      return names.length === 0 ? [] : this.#to.refuse(line, `has the column ${name} twice`)
    if (names.length === 0) return []
    const fields = names.map((field): Field => {
      const known = this.#row.fields.get(field)
      if (known !== undefined || !this.#row.isStrict)
        return known ?? { name: field, kind: 'text', isNumeric: false, money: undefined }
      const all = [...this.#row.fields.keys()].join(', ')
      return this.#to.refuse(line, `has the unknown column ${field}; known are ${all}`)
    })
    const { numbers, dates } = corrections
    const units = this.#unitsOf(name, fields)
    return [{ at, name, fields, numbers, dates, units, open: undefined, openUnit: undefined }]
  }

  /** The unit of amounts as the heading or the caller says it; where the caller maps a column to minor units, one of them has to. */
  #unitsOf(heading: string, fields: readonly Field[]): MoneyUnit | undefined {
    const field = fields.find(({ money }) => money !== undefined)
    if (field === undefined) return undefined
    if (/(^|_)(minor|cents?|pence|centimes)(_|$)/.test(keyOf(heading))) return 'minor'
    const { units, columns } = this.#of.corrections
    if (units !== undefined) return units
    if (field.name === field.money?.major)
      return columns?.[field.name] === undefined ? undefined : 'major'
    const { line = 1 } = this.#header ?? {}
    this.#to.question({ field: field.name, line, cell: heading, message: unitMessage })
    return 'minor'
  }

  take(record: CellRecord): void {
    const { cells } = record
    const width = this.#header?.cells.length ?? 0
    const isWide = cells.length > width && cells.slice(width).some((cell) => cell.trim() !== '')
    if (isWide || cells.length < width) this.#takeRagged(record, width)
    else if (!this.#look(record) && this.#held.length === 0) this.#emit(record)
    else {
      this.#held.push(record)
      if (this.#held.length > HELD_MAX) this.#ask()
      if (!this.#isWaiting()) this.#release()
    }
  }

  #takeRagged({ cells, line }: CellRecord, width: number): void {
    if (this.#isTotal(cells)) this.#leaveOut(line, 'a total')
    else this.#to.malformed(`has ${cells.length} cells, and the header ${width}`, line)
  }

  /** Asks for what is open. The rest is then read in one way, so that its other faults are found. */
  #ask(): void {
    for (const column of this.#columns) {
      const { open, openUnit, fields } = column
      const isTime = fields.some(({ kind }) => kind === 'time' || kind === 'day')
      if (openUnit !== undefined) {
        const field = fields.find(({ money }) => money !== undefined)?.name ?? ''
        this.#to.question({ field, ...openUnit, message: unitMessage })
        column.units = 'major'
      }
      if (open !== undefined) {
        const message = isTime ? orderMessage : signMessage
        this.#to.question({ field: fields[0]?.name ?? '', ...open, message })
        if (isTime) column.dates = 'day_first'
        else column.numbers = 'point'
      }
      column.open = undefined
      column.openUnit = undefined
    }
  }

  /** Ends the table, and answers how it was read. */
  end(): Pick<Reading, 'header_line' | 'columns' | 'numbers' | 'dates' | 'units'> {
    const { reader } = this.#of
    const one = <Value>(of: (column: Column) => Value | undefined): Value | null => {
      const [first, ...others] = new Set(
        this.#columns.map(of).filter((value) => value !== undefined),
      )
      return others.length > 0 ? null : (first ?? null)
    }
    const decided = {
      header_line: this.#header?.line ?? null,
      columns: (this.#header?.cells ?? [])
        .filter((name) => name !== '')
        .map((column) => ({ column, fields: [...reader.fieldsOf(column)] })),
      numbers: one(({ numbers }) => numbers),
      dates: one(({ dates }) => dates),
      units: one(({ units }) => units),
    }
    this.#ask()
    this.#release()
    return decided
  }

  get leftOut(): { all: readonly LeftOut[]; count: number } {
    return { all: this.#leftOut, count: this.#leftOutCount }
  }

  /** The totals of the table that its rows do not come to. */
  get differing(): readonly string[] {
    return this.#differing
  }

  #leaveOut(line: number, reason: string): void {
    this.#leftOutCount += 1
    if (this.#leftOut.length < HEADER_WITHIN * 2) this.#leftOut.push({ line, reason })
  }

  /** Lets the cells of a record decide what they can; answers whether one of them is open. */
  #look({ cells, line }: CellRecord): boolean {
    let isOpen = false
    for (const column of this.#columns) {
      const cell = cells[column.at] ?? ''
      const field = column.fields.find(({ kind }) => kind !== 'text')
      if (field === undefined || isPlain(cell, field, column) || isNothing(cell, field.kind))
        continue
      const { kind } = field
      if (kind === 'time' || kind === 'day') isOpen = lookAtTime(column, { cell, line }) || isOpen
      else if (kind === 'number' || kind === 'whole')
        isOpen = lookAtNumber(column, field, { cell, line }) || isOpen
    }
    return isOpen
  }

  #isWaiting = (): boolean =>
    this.#columns.some(({ open, openUnit }) => open !== undefined || openUnit !== undefined)

  #release(): void {
    for (const record of this.#held.splice(0)) this.#emit(record)
  }

  #emit({ cells, line }: CellRecord): void {
    const row: Record<string, unknown> = {}
    for (const column of this.#columns) {
      const cell = cells[column.at] ?? ''
      for (const field of column.fields) {
        if (isNothing(cell, field.kind)) continue
        const name = column.units === undefined ? undefined : field.money?.[column.units]
        const fed = (name === undefined ? undefined : this.#row.fields.get(name)) ?? field
        row[fed.name] = valueIn(field.kind === 'text' ? cell : cell.trim(), fed, column)
      }
    }
    if (this.#isTotal(cells)) {
      this.#total(row, line)
      return
    }
    for (const [field, value] of Object.entries(this.#of.corrections.constants ?? {}))
      row[field] ??= value
    this.#add(row)
    this.#to.row(row, line)
  }

  /** A record that begins with a word for a total, and lacks what a row needs. */
  #isTotal(cells: readonly string[]): boolean {
    const first = cells.find((cell) => cell.trim() !== '') ?? ''
    if (!totalWords.test(first.trim())) return false
    return this.#columns.some(({ at, fields }) => {
      const cell = (cells[at] ?? '').trim()
      return fields.some(
        ({ name, kind }) =>
          this.#row.required.includes(name) &&
          (isNothing(cell, kind) || (kind !== 'text' && cell === first.trim())),
      )
    })
  }

  #add(row: Readonly<Record<string, unknown>>): void {
    for (const field of this.#summed) {
      const value = row[field]
      if (value === undefined) continue
      const sum = this.#sums.get(field) ?? { whole: 0, parts: 0n }
      this.#sums.set(field, sum)
      if (typeof value === 'number' && Number.isSafeInteger(sum.whole + value)) sum.whole += value
      else sum.parts += scaled(value as number | string, SUM_PLACES) ?? 0n
    }
  }

  #total(row: Readonly<Record<string, unknown>>, line: number): void {
    this.#leaveOut(line, 'a total')
    for (const [field, value] of Object.entries(row)) {
      const { whole, parts } = this.#sums.get(field) ?? {}
      const stated = this.#summed.includes(field)
        ? scaled(value as number | string, SUM_PLACES)
        : null
      if (whole === undefined || parts === undefined || stated === null) continue
      const sum = (scaled(whole, SUM_PLACES) ?? 0n) + parts
      if (stated === sum) continue
      const text = decimalText(sum, SUM_PLACES)
      this.#differing.push(`line ${line} states ${value} of ${field}, and its rows come to ${text}`)
    }
  }
}

const orderMessage = 'the day or the month may be first: say which in `dates`'
const signMessage = 'the point or the comma may part the fraction: say which in `numbers`'
const unitMessage =
  'whole numbers may be in major units (dollars) or in minor units (cents): say which in `units`'
const totalWords =
  /^(grand |sub)?-?(totals?|sum|summe|gesamt(summe|betrag)?|totaal|totale|somme)\b[^\p{L}]*$/iu
