import { type NumberRead, readNumber } from '../../input/numbers.ts'
import { readTime, type TimeRead } from '../../input/times.ts'
import { plainNumber } from './form-rows.ts'

const MINUTE_MS = 60_000

/** What a cell of a column says: one reading, or why there is none. */
type Read<Value> = { value: Value } | { unread: string }
/** A time as it is written in ISO 8601, and its minute, which is on the clock where no zone is written. */
export type Moment = { at: string; minute: number }
export type ReadMoment = (text: string) => Read<Moment>
export type ReadNumber = (text: string) => Read<string>

/** Reads the numbers of a column. What a comma is, is decided over all of them. */
export function numberReader(texts: readonly string[]): ReadNumber {
  const sign = onlyOne(texts.map((text) => signOf(readNumber(text))))
  const unread = { unread: 'has no clear number' }
  return (text) => {
    const read = readNumber(text)
    if (
      read === undefined ||
      (sign !== undefined && signOf(read) !== undefined && signOf(read) !== sign)
    )
      return unread
    const plain = 'by' in read ? sign && read.by[sign] : read.text
    const value = plain === undefined ? undefined : plainNumber(plain)
    return value === undefined ? unread : { value }
  }
}

/** Reads the times of a column. Whether the day or the month comes first is decided over all of them. */
export function momentReader(texts: readonly string[]): ReadMoment {
  const order = onlyOne(texts.map((text) => orderOf(readTime(text))))
  return (text) => {
    const read = readTime(text)
    if (read === undefined) return { unread: 'has no time' }
    if ('by' in read && order === undefined)
      return { unread: 'has a date whose day and month may be either way round' }
    const own = orderOf(read)
    if (own !== undefined && own !== order) return { unread: 'has a date of another order' }
    const iso = 'by' in read ? read.by[order ?? 'day_first'] : read.text
    const at = iso.includes('T') ? iso : `${iso}T00:00:00`
    const isInstant = /(Z|[+-][0-9]{2}:[0-9]{2})$/.test(at)
    return { value: { at, minute: Date.parse(isInstant ? at : `${at}Z`) / MINUTE_MS } }
  }
}

const signOf = (read: NumberRead | undefined) =>
  read !== undefined && 'sign' in read ? read.sign : undefined
const orderOf = (read: TimeRead | undefined) =>
  read !== undefined && 'order' in read ? read.order : undefined

/** The one value that is there; undefined where there is none, or there are several. */
function onlyOne<Value>(values: readonly (Value | undefined)[]): Value | undefined {
  const [first, ...others] = new Set(values.filter((value) => value !== undefined))
  return others.length === 0 ? first : undefined
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
