import { columnNumbers, columnTimes } from '../../tables/column-cells.ts'
import { plainNumber } from './form-rows.ts'

const MINUTE_MS = 60_000

/** What a cell of a column says: one reading, or why there is none. */
type Read<Value> = { value: Value } | { unread: string }
/** A time as it is written in ISO 8601, and its minute, which is on the clock where no zone is written. */
export type Moment = { at: string; minute: number }
export type ReadMoment = (text: string) => Read<Moment>
export type ReadNumber = (text: string) => Read<string>

/** Reads the numbers of a column as a row states them. */
export function numberReader(texts: readonly string[]): ReadNumber {
  const numberIn = columnNumbers(texts)
  return (text) => {
    const plain = numberIn(text)
    const value = plain === undefined ? undefined : plainNumber(plain)
    return value === undefined ? { unread: 'has no clear number' } : { value }
  }
}

/** Reads the times of a column; a day is its first minute. */
export function momentReader(texts: readonly string[]): ReadMoment {
  const timeIn = columnTimes(texts)
  return (text) => {
    const iso = timeIn(text)
    if (iso === undefined)
      return { unread: 'has no time, or one whose day and month may be either way round' }
    const at = iso.includes('T') ? iso : `${iso}T00:00:00`
    const isInstant = /(Z|[+-][0-9]{2}:[0-9]{2})$/.test(at)
    return { value: { at, minute: Date.parse(isInstant ? at : `${at}Z`) / MINUTE_MS } }
  }
}

/** `9:15` → 555: the minute of a day, up to 24:00. */
export function clockOf(text: string): number | undefined {
  const [, hours = '', minutes = ''] = /^(\d{1,2}):(\d\d)(?::00)?$/.exec(text.trim()) ?? []
  const minute = Number(hours) * 60 + Number(minutes)
  return hours === '' || Number(minutes) > 59 || minute > 1_440 ? undefined : minute
}

/** The minute of a day, or of a time on the clock, as text. */
export const timeText = (minute: number): string =>
  new Date(minute * MINUTE_MS).toISOString().slice(0, 19)
