/** The frequencies of `payment.agent_recurrence` (AP2 v0.2). */
export const frequencies = [
  'ON_DEMAND',
  'DAILY',
  'WEEKLY',
  'BIWEEKLY',
  'MONTHLY',
  'QUARTERLY',
  'ANNUALLY',
] as const
export type Frequency = (typeof frequencies)[number]

const DAY = 86_400
/** 1 January 1970 was a Thursday; weeks begin on Monday, and pairs of weeks with that of 29 December 1969. */
const DAYS_SINCE_MONDAY = 3

const dayOf = (seconds: number): number => Math.floor(seconds / DAY)

function monthOf(seconds: number): number {
  const date = new Date(Math.floor(seconds) * 1000)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/**
 * The number of the UTC calendar period that holds this Unix time: two times are in one period exactly if they have the same number.
 * Undefined for ON_DEMAND, which has no periods.
 */
export function periodOf(frequency: Frequency, seconds: number): number | undefined {
  switch (frequency) {
    case 'ON_DEMAND':
      return undefined
    case 'DAILY':
      return dayOf(seconds)
    case 'WEEKLY':
      return Math.floor((dayOf(seconds) + DAYS_SINCE_MONDAY) / 7)
    case 'BIWEEKLY':
      return Math.floor((dayOf(seconds) + DAYS_SINCE_MONDAY) / 14)
    case 'MONTHLY':
      return monthOf(seconds)
    case 'QUARTERLY':
      return Math.floor(monthOf(seconds) / 3)
    case 'ANNUALLY':
      return Math.floor(monthOf(seconds) / 12)
  }
}

/** The first and the last Unix second that an ISO 8601 date (a UTC day) or date-time means; undefined for another text. */
export function instantsOf(text: string): { first: number; last: number } | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(
    text,
  )
  if (!isDay && !isTime) return undefined
  const at = Date.parse(text)
  // A day that its month does not have is parsed as one of the next month.
  if (Number.isNaN(at) || !isRealDay(text.slice(0, 10))) return undefined
  const first = Math.floor(at / 1000)
  return { first, last: isDay ? first + DAY - 1 : first }
}

const isRealDay = (day: string): boolean => {
  const at = Date.parse(day)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

export const isSameDay = (one: number, other: number): boolean => dayOf(one) === dayOf(other)
