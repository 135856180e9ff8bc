import { DAY_MINUTES } from '../../values/calendar.ts'
import type { List } from '../intervals.ts'
import { clockOf } from './cells.ts'

/** How many intervals a day has in a table with one day a row. */
const SLOT_COUNTS = [24, 48, 96, 288]

export type Columns = {
  date: number | undefined
  start: number | undefined
  end: number | undefined
  period: number | undefined
  duration: number | undefined
  value: number
  unit: number | undefined
  /** The unit in the heading of the values. */
  valueUnit: string | undefined
  notes: number[]
}
/** Where a table has what; `slots` are the columns of a day in one row, with the minutes at which their intervals begin. */
export type Layout = {
  columns: Columns
  dates: number[]
  meters: number[]
  unit: string | undefined
  slots: { column: number; minute: number }[] | undefined
}

const fed = /\b(received|exports?|exported|generation|generated|production)\b/
const drawn = /\b(usage|consumption|imports?|imported|delivered|energy|kwh)\b/
const noValue = /\b(period|time|date|cost|charge|price|units?|notes?|quality|duration|start|end)\b/
const isDate = /^((usage|reading|interval|read|meter|service) )?(date|day)$/
const isMeter = /^(type|nmi|mpan|meter|meter (number|id|no)|service( point)?( id)?)$/

/** The columns of a header; undefined where it is none of a table whose intervals stand in several cells. */
export function layoutOf(header: readonly string[], list: List): Layout | undefined {
  const names = header.map((name) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim(),
  )
  const columnOf = (pattern: RegExp) => {
    const index = names.findIndex((name) => pattern.test(name))
    return index < 0 ? undefined : index
  }
  const meters = names.flatMap((name, index) => (isMeter.test(name) ? [index] : []))
  const slots = slotsOf(header, names)
  const date = columnOf(isDate)
  if (slots !== undefined && date !== undefined && list === 'readings') {
    const unit = unitIn(names.join(' '))
    return { columns: { ...none, date }, dates: [date], meters, unit, slots }
  }
  const values = names.flatMap((name, index) => (isValue(name, list) ? [index] : []))
  const [value] = values
  if (value === undefined || values.length > 1) return undefined
  const columns: Columns = {
    date,
    start: columnOf(/\bstart\b|^from$|\bbegin(ning)?\b/),
    end: columnOf(/\bend(ing)?\b|^to$/),
    period: columnOf(/\btime period$/),
    duration: columnOf(/^duration/),
    value,
    unit: columnOf(/^units?( of measure)?$|^uom$/),
    valueUnit: unitIn(names[value] ?? ''),
    notes: names.flatMap((name, index) =>
      /\b(notes?|quality|estimated)\b/.test(name) ? [index] : [],
    ),
  }
  const hasTime =
    isPeriod(columns, names, list) ||
    (columns.start !== undefined && (date !== undefined || columns.end !== undefined))
  if (!hasTime) return undefined
  const dates = [columns.period, columns.start, date].filter((one) => one !== undefined)
  return { columns, dates, meters, unit: columns.valueUnit, slots: undefined }
}

const none = {
  date: undefined,
  start: undefined,
  end: undefined,
  period: undefined,
  duration: undefined,
  value: 0,
  unit: undefined,
  valueUnit: undefined,
  notes: [],
}

const isValue = (name: string, list: List): boolean =>
  !noValue.test(name) && (list === 'exports' ? fed.test(name) : drawn.test(name) && !fed.test(name))

/** A table with its intervals in one cell is of the direction that the heading names. */
function isPeriod({ period, value }: Columns, names: string[], list: List): boolean {
  if (period === undefined) return false
  return isValue(names[value] ?? '', list)
}

/** `USAGE (kWh)` → `kWh`. */
function unitIn(name: string): string | undefined {
  if (/\b(kwh|kilowatt hours?)\b/.test(name)) return 'kWh'
  if (/\b(mwh|megawatt hours?)\b/.test(name)) return 'MWh'
  if (/\b(wh|watt hours?)\b/.test(name)) return 'Wh'
  return /\btherms?\b/.test(name) ? 'therm' : undefined
}

/** Columns that are named by the clock, or numbered from 1, and are one day. */
function slotsOf(header: readonly string[], names: readonly string[]): Layout['slots'] {
  const clocks = header.flatMap((name, column) => {
    const minute = clockOf(/^\D*$/.test(name) ? '' : name)
    return minute === undefined ? [] : [{ column, minute }]
  })
  const numbers = names.flatMap((name, column) => {
    const number = /^(?:h|hr|hour|he|hour ending|interval|p)? ?(\d{1,3})$/.exec(name)?.[1]
    return number === undefined ? [] : [{ column, number: Number(number) }]
  })
  if (SLOT_COUNTS.includes(clocks.length)) {
    const step = DAY_MINUTES / clocks.length
    const first = clocks[0]?.minute
    const begins = clocks.map(({ column }, index) => ({ column, minute: index * step }))
    const isInOrder = clocks.every(
      ({ minute }, index) => (minute - (first ?? 0) - index * step) % DAY_MINUTES === 0,
    )
    return isInOrder && (first === 0 || first === step) ? begins : undefined
  }
  if (!SLOT_COUNTS.includes(numbers.length)) return undefined
  const step = DAY_MINUTES / numbers.length
  const isInOrder = numbers.every(({ number }, index) => number === index + 1)
  return isInOrder
    ? numbers.map(({ column }, index) => ({ column, minute: index * step }))
    : undefined
}
