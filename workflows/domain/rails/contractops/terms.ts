import type { Span } from '../input/fields.ts'
import { addDays, addMonths, dayOf } from '../values/calendar.ts'
import type { Length, Terms, Uncertain } from './schema.ts'
import type { Stated } from './stated.ts'

const CONVENTION =
  'A term ends on the day before its anniversary and renews on the anniversary; a day that a month lacks becomes its last. ' +
  'Notice counts back from the last day of the term; the deadline is the last day on which it is in time.'

/** Renewals are not followed beyond it. */
const LAST_DAY = '2300-01-01'
const DAY_SECONDS = 86_400

/** The days that follow from what a contract says of its times; the term that runs on `asOf`, or the first without it. */
export function termsOf(stated: Stated, asOf: string | undefined): Terms {
  const { effective, ends, initialTerms, renewal, notices, terminations } = stated
  const [initial] = initialTerms
  const [notice] = notices
  const endsOn = ends[0]?.day ?? computedEnd(stated)
  const running = endsOn === null ? null : runningEnd(endsOn, stated, asOf)
  const deadline = running === null || notice === undefined ? null : daysBefore(running, notice)
  const passed = deadline === null || asOf === undefined ? null : dayOf(asOf) > dayOf(deadline)
  return {
    effective_on: effective?.day ?? null,
    initial_term: initial ?? null,
    ends_on: endsOn,
    renewal,
    current_term_ends_on: running,
    renews_on: running !== null && renewal?.automatic === true ? addDays(running, 1) : null,
    notice: notice === undefined ? null : { length: notice, deadline_on: deadline, passed },
    terminations,
    convention: CONVENTION,
  }
}

/** Where a contract gives different values for the same time. */
export function disagreements(stated: Stated): Uncertain[] {
  const said = (lengths: Length[]) =>
    lengths.map(({ unit, value, citation }) => ({ says: `${value} ${unit}`, citation }))
  const computed = computedEnd(stated)
  const [initial] = stated.initialTerms
  const ends = stated.ends.map(({ day, citation }) => ({ says: day, citation }))
  if (computed !== null && initial !== undefined && !agrees(computed, ends[0]?.says))
    ends.push({ says: computed, citation: initial.citation })
  return [
    ...differing('initial_terms_differ', said(stated.initialTerms)),
    ...differing('notice_periods_differ', said(stated.notices)),
    ...differing('end_dates_differ', ends),
  ]
}

function computedEnd({ effective, initialTerms: [initial] }: Stated): string | null {
  if (effective === undefined || initial === undefined) return null
  return addDays(later(effective.day, initial.unit, Number(initial.value)), -1)
}

/** A contract may call the anniversary itself the end. */
const agrees = (computed: string, stated: string | undefined): boolean =>
  stated === computed || stated === addDays(computed, 1)

/** The last day of the term that runs on `asOf`; anniversaries are counted from the beginning, so that they do not drift. */
function runningEnd(endsOn: string, stated: Stated, asOf: string | undefined): string {
  const { effective, initialTerms, renewal } = stated
  const every = renewal?.automatic === true ? renewal.every : null
  if (every === null || asOf === undefined || !takesDays(every)) return endsOn
  const [initial] = initialTerms
  const fromStart =
    endsOn === computedEnd(stated) && initial?.unit === 'months' && every.unit === 'months'
  const origin = fromStart ? (effective?.day ?? endsOn) : addDays(endsOn, 1)
  let count = fromStart ? Number(initial.value) : 0
  let end = endsOn
  while (dayOf(end) < dayOf(asOf) && end < LAST_DAY) {
    count += Number(every.value)
    end = addDays(later(origin, every.unit, count), -1)
  }
  return end
}

function takesDays({ unit, value }: Length): boolean {
  if (unit === 'months') return Number(value) >= 1
  return unit === 'seconds' && Number(value) >= DAY_SECONDS
}

function later(day: string, unit: Length['unit'], count: number): string {
  if (unit === 'months') return addMonths(day, count)
  return addDays(day, Math.floor(count / DAY_SECONDS))
}

/** Business days are not counted: which days they are, the contract's place decides. */
function daysBefore(day: string, { unit, value }: Length): string | null {
  if (unit === 'business days') return null
  if (unit === 'months') return addMonths(day, -Number(value))
  return addDays(day, -Math.ceil(Number(value) / DAY_SECONDS))
}

function differing(code: Uncertain['code'], said: { says: string; citation: Span }[]): Uncertain[] {
  const values = [...new Set(said.map(({ says }) => says))]
  if (values.length < 2) return []
  return [{ code, detail: values.join(' and '), citations: said.map(({ citation }) => citation) }]
}
