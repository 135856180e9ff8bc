/** Which of two numbers of a date such as `03/04/2024` comes first. */
export const dateOrders = ['day_first', 'month_first'] as const
export type DateOrder = (typeof dateOrders)[number]

/** A cell as a day or a time, in ISO 8601; `order` is there where only one order reads it so. */
export type TimeRead =
  | { text: string; order?: DateOrder }
  | { by: Readonly<Record<DateOrder, string>> }

const clock =
  /^(.*?)(?:[T\s,]+|(?<=[0-9]))(?:([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}(?:[.,][0-9]{1,9})?))?\s*([AaPp]\.?[Mm]\.?)?\s*(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}|[+-][0-9]{2})?)?$/
const isoDay = /^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})$/
const compactDay = /^((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})$/
const numbered = /^([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})$/
const named =
  /^(?:([0-9]{1,2})[-.\s]+([A-Za-z]{3,9})|([A-Za-z]{3,9})\.?\s+([0-9]{1,2})),?[-.\s]*([0-9]{4})$/
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Reads a cell as a day, or as a day and time, in the forms of the trade; undefined where it is none. */
export function readTime(cell: string): TimeRead | undefined {
  const { day, time } = parted(cell.trim())
  const of = (year: string, month: number, date: number) => {
    const text = dayText(year, month, date)
    return text === undefined || time === undefined ? undefined : `${text}${time}`
  }
  const iso = isoDay.exec(day) ?? compactDay.exec(day)
  if (iso !== null) return only(of(iso[1] as string, Number(iso[2]), Number(iso[3])))
  const inWords = named.exec(day)
  if (inWords !== null) {
    const [, before, monthAfter, monthBefore, after, year = ''] = inWords
    const name = (monthAfter ?? monthBefore ?? '').slice(0, 3).toLowerCase()
    return only(of(year, months.indexOf(name) + 1, Number(before ?? after)))
  }
  const [, first = '', sign, second = '', year = ''] = numbered.exec(day) ?? []
  if (sign === undefined) return undefined
  const whole = year.length === 2 ? `20${year}` : year
  const dayFirst = of(whole, Number(second), Number(first))
  // No country writes the month first with points.
  if (sign === '.') return only(dayFirst)
  const monthFirst = of(whole, Number(first), Number(second))
  if (dayFirst === undefined || monthFirst === undefined) {
    const text = dayFirst ?? monthFirst
    if (text === undefined) return undefined
    return { text, order: dayFirst === undefined ? 'month_first' : 'day_first' }
  }
  if (dayFirst === monthFirst) return { text: dayFirst }
  return { by: { day_first: dayFirst, month_first: monthFirst } }
}

const only = (text: string | undefined): TimeRead | undefined =>
  text === undefined ? undefined : { text }

/** The day of a cell, and its time as ISO 8601 writes it: empty without one, undefined where it is none. */
function parted(cell: string): { day: string; time: string | undefined } {
  const match = clock.exec(cell)
  const [, day = cell, hours, minutes, seconds = '00', half, zone = ''] = match ?? []
  if (hours === undefined || minutes === undefined) return { day: cell, time: '' }
  const hour = half === undefined ? Number(hours) : halfDayHour(Number(hours), half)
  if (hour === undefined || hour > 23 || Number(minutes) > 59 || Number(seconds.slice(0, 2)) > 59)
    return { day, time: undefined }
  const at = `T${String(hour).padStart(2, '0')}:${minutes}:${seconds.replace(',', '.')}`
  return { day, time: `${at}${zoneText(zone)}` }
}

function halfDayHour(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

function zoneText(zone: string): string {
  if (zone === '') return ''
  if (/^[ZUG]/.test(zone)) return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/** `2024-01-15`; undefined for a day that no calendar has. */
function dayText(year: string, month: number, day: number): string | undefined {
  const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  const at = new Date(`${text}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? undefined : text
}
