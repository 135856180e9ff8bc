import { weekdays } from './tariff-schema.ts'

/** For each month the period of each hour, as the rate database has it. */
export type Schedule = readonly (readonly number[])[]
/** Hours of a day in which a period applies, on some days of some months. */
export type Window = {
  from: number
  to: number
  days: 'all' | 'working' | 'weekend'
  months: number[]
}

export const MONTHS = 12
const HOURS = 24
const workingDays = weekdays.filter((day) => day !== 'sat' && day !== 'sun')

/** The hours of a period; those at the end and the beginning of a day are together. */
export function windowsOf(working: Schedule, weekend: Schedule, period: number): Window[] {
  const found = new Map<string, Window>()
  for (let month = 0; month < MONTHS; month++) {
    const own = runsOf(working[month] ?? [], period)
    const other = runsOf(weekend[month] ?? [], period)
    const put = ([from, to]: Run, days: Window['days']) => {
      const key = `${from} ${to} ${days}`
      const window = found.get(key) ?? { from, to, days, months: [] }
      found.set(key, window)
      window.months.push(month)
    }
    const isIn = ([from, to]: Run, runs: Run[]) =>
      runs.some((run) => run[0] === from && run[1] === to)
    for (const run of own) put(run, isIn(run, other) ? 'all' : 'working')
    for (const run of other) if (!isIn(run, own)) put(run, 'weekend')
  }
  return [...found.values()]
}

type Run = [from: number, to: number]

function runsOf(hours: readonly number[], period: number): Run[] {
  const isIn = (hour: number) => hours[hour % HOURS] === period
  if (hours.every((one) => one === period)) return [[0, 0]]
  return hours.flatMap((_, hour): Run[] => {
    if (!isIn(hour) || isIn(hour + HOURS - 1)) return []
    let end = hour + 1
    while (isIn(end)) end += 1
    return [[hour, end % HOURS]]
  })
}

const seasonOf = (month: number): string =>
  new Date(Date.UTC(2024, month, 1)).toLocaleString('en', { month: 'long', timeZone: 'UTC' })

/** A season for each month. */
export const monthSeasons = Array.from({ length: MONTHS }, (_, month) => {
  const dayIn = (date: number) => new Date(Date.UTC(2024, month, date)).toISOString().slice(5, 10)
  const last = new Date(Date.UTC(2024, month + 1, 0)).getUTCDate()
  return { name: seasonOf(month), from: dayIn(1), to: dayIn(last) }
})

/** A window as a tariff states when something applies. */
export function whenOf({ from, to, days, months }: Window) {
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  return {
    ...(from !== to && { from: clock(from), to: clock(to) }),
    ...(days === 'working' && { days: [...workingDays] }),
    ...(days === 'weekend' && { days: ['sat' as const, 'sun' as const] }),
    ...(months.length < MONTHS && { seasons: months.map(seasonOf) }),
  }
}
