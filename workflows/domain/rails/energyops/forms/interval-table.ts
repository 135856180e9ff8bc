import type { CellTable, Form, FormRows } from '../../form.ts'
import { DAY_MINUTES } from '../../values/calendar.ts'
import type { List } from '../intervals.ts'
import {
  type Moment,
  momentReader,
  numberReader,
  type ReadMoment,
  type ReadNumber,
  timeText,
} from './cells.ts'
import { type Columns, type Layout, layoutOf } from './columns.ts'
import { otherMeter, type RowsSoFar, rowsSoFar } from './form-rows.ts'

/** An end such as `00:14` is the last minute of its interval. */
const LAST_MINUTES = new Set([4, 9, 14, 19, 29, 59, 1_439])

type Record = CellTable['records'][number]
type Timed = { record: Record; columns: Columns; start: Moment; minutes: number | undefined }
type Read = { moment: ReadMoment; number: ReadNumber }

/** Tables of utilities whose interval stands in several cells, in one cell from start to end, or in the head of a column. */
export const intervalTable = (list: List): Form => ({
  name: 'Interval table of a utility',
  source: 'Southern California Edison, PG&E, PECO, SDG&E and others',
  example: 'gauthig/greenbutton-influxdb; kodek/sce-greenbutton; ericoc/energytable',
  kind: 'table',
  read: (table) => read(table, list),
})

function read({ header, records }: CellTable, list: List): FormRows | undefined {
  const all = [{ line: 0, cells: header }, ...records]
  const at = all.findIndex(({ cells }) => layoutOf(cells, list) !== undefined)
  if (at < 0) return undefined
  const rows = rowsSoFar()
  for (const { line } of all.slice(1, at)) rows.leave(line, 'stands above the header')
  const placed = placedRecords(all.slice(at), list, rows)
  const times = placed.flatMap(({ record, layout }) => timesIn(record, layout))
  const values = placed.flatMap(({ record, layout }) => valuesOf(record, layout))
  const reading = { moment: momentReader(times), number: numberReader(values) }
  const [first] = placed
  if (first === undefined) return rows.done({})
  if (first.layout.slots !== undefined) for (const one of placed) addDay(one, reading, rows)
  else addIntervals(placed, reading, rows)
  return rows.done(first.layout.unit === undefined ? {} : { unit: first.layout.unit })
}

type Placed = { record: Record; layout: Layout }

/** The records below each header; titles and totals between them are left out, and records of a second meter refused. */
function placedRecords(all: readonly Record[], list: List, rows: RowsSoFar): Placed[] {
  let layout: Layout | undefined
  let meter: string | undefined
  return all.flatMap((record): Placed[] => {
    const { line, cells } = record
    const isTitle = cells.slice(1).every((one) => one.trim() === '')
    if (layout !== undefined && isHeader(cells)) {
      layout = layoutOf(cells, list)
      rows.leave(line, 'is another header')
      return []
    }
    if (layout === undefined) layout = layoutOf(cells, list)
    else if (isTitle) rows.leave(line, 'is a title')
    else if (/^(grand |sub)?total/i.test(cells[0]?.trim() ?? '')) rows.leave(line, 'is a total')
    else {
      const name = layout.meters.map((one) => cell(record, one)).join(' ')
      meter ??= name
      if (name === meter) return [{ record, layout }]
      rows.refuse(line, otherMeter(name))
    }
    if (line > 0 && layout === undefined) rows.leave(line, 'is of another channel')
    return []
  })
}

const isHeader = (cells: readonly string[]): boolean =>
  !cells.some((one) => /[0-9][-/.:][0-9]/.test(one)) &&
  (layoutOf(cells, 'readings') !== undefined || layoutOf(cells, 'exports') !== undefined)

const cell = ({ cells }: Record, index: number | undefined): string =>
  index === undefined ? '' : (cells[index] ?? '').trim()

const valuesOf = (record: Record, { slots, columns }: Layout): string[] =>
  (slots ?? [{ column: columns.value, minute: 0 }]).map(({ column }) => cell(record, column))

/** The times of a record as its cells say them: the start, and the end where there is one. A time alone is of the day of the record. */
function timesIn(record: Record, { columns, slots }: Layout): string[] {
  const day = cell(record, columns.date)
  if (slots !== undefined) return [day]
  const [period = '', end] = cell(record, columns.period).split(/\s+(?:to|-|–)\s+/i)
  const given = [period || cell(record, columns.start), end ?? cell(record, columns.end)]
  return given.map((text) => {
    const hasDate = /[0-9][-/.][0-9]/.test(text)
    return hasDate || text === '' ? text : `${day} ${text}`
  })
}

/** A day in one record: a value for each interval. */
function addDay({ record, layout }: Placed, { moment, number }: Read, rows: RowsSoFar): void {
  const { line } = record
  const { slots = [], unit } = layout
  const day = moment(timesIn(record, layout)[0] ?? '')
  if ('unread' in day) {
    rows.refuse(line, day.unread)
    return
  }
  for (const { column, minute } of slots) {
    const text = cell(record, column)
    const read = number(text)
    const at = timeText(day.value.minute + minute)
    if (text === '') rows.leave(line, `has no value at ${at.slice(11)}`)
    else if ('unread' in read) rows.refuse(line, `${read.unread} at ${at.slice(11)}`)
    else {
      const row = { at, value: read.value, interval_minutes: DAY_MINUTES / slots.length }
      rows.add(line, { ...row, ...(unit !== undefined && { unit }) })
    }
  }
}

function addIntervals(placed: readonly Placed[], { moment, number }: Read, rows: RowsSoFar): void {
  const timed = placed.flatMap(({ record, layout }) => timedOf(record, layout, { moment, rows }))
  const usual = usualLength(timed)
  for (const { record, columns, start, minutes = usual } of timed) {
    const { line } = record
    const text = cell(record, columns.value)
    const read = number(text)
    const unit = cell(record, columns.unit) || columns.valueUnit
    // On the day of a change the clock shows an hour more or less than has gone by.
    const isChange = usual !== undefined && Math.abs((minutes ?? 0) - usual) === 60
    const length = isChange ? usual : minutes
    if (text === '') rows.leave(line, 'has no value')
    else if ('unread' in read) rows.refuse(line, read.unread)
    else {
      rows.add(line, {
        at: start.at,
        value: read.value,
        ...(unit !== undefined && { unit }),
        ...(length !== undefined && { interval_minutes: length }),
      })
      if (columns.notes.some((one) => /estimat|substitut/i.test(cell(record, one)))) rows.estimate()
    }
  }
}

function timedOf(
  record: Record,
  layout: Layout,
  { moment, rows }: { moment: ReadMoment; rows: RowsSoFar },
): Timed[] {
  const { columns } = layout
  const [startText = '', endText = ''] = timesIn(record, layout)
  const start = moment(startText)
  if ('unread' in start) {
    rows.refuse(record.line, start.unread)
    return []
  }
  const end = moment(endText)
  const duration = Number(cell(record, columns.duration) || Number.NaN)
  const ofEnd = 'unread' in end ? undefined : lengthOf(end.value.minute - start.value.minute)
  const minutes = Number.isInteger(duration) ? duration : ofEnd
  if (minutes !== undefined && minutes <= -60) rows.refuse(record.line, 'ends before it begins')
  else return [{ record, columns, start: start.value, minutes }]
  return []
}

function lengthOf(minutes: number): number {
  if (LAST_MINUTES.has(minutes)) return minutes + 1
  // An end on the clock alone may be past midnight.
  return minutes < -60 && minutes > -DAY_MINUTES ? minutes + DAY_MINUTES : minutes
}

/** The length that most of the records have. */
function usualLength(timed: readonly Timed[]): number | undefined {
  const counts = new Map<number, number>()
  for (const { minutes } of timed)
    if (minutes !== undefined) counts.set(minutes, (counts.get(minutes) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}
