import { auditOf, differs, firstOfAll, firstWrong } from '../work/audit.ts'
import type { ContractInput, ContractResult, Length, Terms } from './schema.ts'

const checks = {
  quotes_in_place: 'each quote, against the text at its offsets',
  deadline_follows: 'the last day for notice, against the end of the term, day by day',
  renewal_follows: 'the day of renewal, against the day after the term',
  obligors_named: 'the party of each obligation, against the parties',
  days_exist: 'each day, against the calendar',
}

/** Follows the days of a contract on a calendar and reads each quote again where it is said to stand. */
export const contractopsAudit = auditOf<ContractInput, ContractResult>(
  checks,
  ({ text, as_of }, { result }) => ({
    quotes_in_place: firstWrong(spansIn(result), ({ quote, from, to }) =>
      text.slice(from, to) === quote ? null : `“${quote.slice(0, 80)}” is not at ${from}`,
    ),
    deadline_follows: deadlineFault(result.terms, as_of),
    renewal_follows: renewalFault(result.terms),
    obligors_named: obligorsFault(result),
    days_exist: firstWrong(result.dates, ({ day }) =>
      dayAfter(day, 0) === day ? null : `there is no ${day}`,
    ),
  }),
)

type Span = { quote: string; from: number; to: number }

function spansIn(value: unknown): Span[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'quote' in value && 'from' in value && 'to' in value ? [value as Span] : []
  return [...own, ...Object.values(value).flatMap(spansIn)]
}

const dayAfter = (day: string, days: number): string => {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** A day that a month lacks becomes its last. */
function monthsBefore(day: string, months: number): string {
  const date = new Date(`${day.slice(0, 8)}01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() - months + 1, 0)
  const last = date.getUTCDate()
  date.setUTCDate(Math.min(last, Number(day.slice(8))))
  return date.toISOString().slice(0, 10)
}

function daysOf(day: string, { unit, value }: Length): string | null {
  if (unit === 'business days') return null
  if (unit === 'months') return monthsBefore(day, Number(value))
  return dayAfter(day, -Math.ceil(Number(value) / 86_400))
}

function deadlineFault({ notice, current_term_ends_on: end }: Terms, asOf: string | undefined) {
  if (notice === null) return null
  const should = end === null ? null : daysOf(end, notice.length)
  const isPassed = should === null || asOf === undefined ? null : asOf.slice(0, 10) > should
  return firstOfAll(
    differs('the last day for notice', notice.deadline_on, should),
    differs('whether it has passed', notice.passed, isPassed),
  )
}

function renewalFault({ renewal, renews_on, current_term_ends_on: end }: Terms): string | null {
  const should = end !== null && renewal?.automatic === true ? dayAfter(end, 1) : null
  return differs('the day of renewal', renews_on, should)
}

/** An obligor that is no party is the text's own word for one, and its quote has it. */
function obligorsFault({ parties, obligations }: ContractResult): string | null {
  const known = new Set(
    parties.flatMap(({ name, role }) => (role === null ? [name] : [name, role])),
  )
  return firstWrong(obligations, ({ party, citation }) =>
    party === 'each party' ||
    known.has(party) ||
    citation.quote.toLowerCase().includes(party.toLowerCase())
      ? null
      : `${party} is no party, and the sentence does not name it`,
  )
}
