import { keepFresh } from '../../activities/chain/shared-reading.ts'
import {
  type OpenWork,
  type OpenWorkRow,
  openWorkLabels,
} from '../../activities/store/reconciliation/open-work.ts'
import { type LateCount, lateSubjects } from '../../activities/store/recovery/late-rows.ts'
import type { Gauges } from '../http/metrics.ts'

/** The reviews of one kind that wait, and for how long the oldest has waited. */
type WaitingReviews = { kind: string; waiting: number; oldestSeconds: number }

type Readings = {
  openWork(): Promise<OpenWorkRow[]>
  reviews(): Promise<WaitingReviews[]>
  /** Events of payment providers that an operator has to review. */
  providerEvents(): Promise<number>
  late(): Promise<LateCount[]>
}

/** Scrapes within this time share one reading. */
const FRESH_MS = 5_000

const help: Record<OpenWork, string> = {
  tasks: 'Tasks that are not closed.',
  transfers: 'Transfers that are neither final nor dead.',
  transfers_parked: 'Transfers that are blocked and wait for an operator or for time.',
  transfer_oldest_seconds: 'How long the oldest transfer of a status has been under way.',
  task_exceptions: 'Open exceptions of tasks, without sandbox runs that have no agent.',
  callbacks_failing: 'Unfinished callback deliveries with a failed attempt.',
  differences: 'Open differences that reconciliation found.',
  reconciliation_age_seconds:
    'Time since the last completed reconciliation, or since the schema was made where there was none.',
  log_oldest_seconds: 'How long the oldest receipt has waited for the transparency log.',
}

/** The gauges of everything that waits or is wrong, for /metrics. */
export function openWorkGauges(readings: Readings): Gauges {
  const openWork = keepFresh(readings.openWork, FRESH_MS)
  const reviews = keepFresh(readings.reviews, FRESH_MS)
  const ofMeasure = async (measure: OpenWork) =>
    (await openWork()).filter((row) => row.measure === measure)
  const measured = Object.entries(openWorkLabels).map(([name, label]) => {
    const measure = name as OpenWork
    const gauge =
      label === null
        ? {
            help: help[measure],
            read: async () => (await ofMeasure(measure))[0]?.value,
          }
        : {
            help: help[measure],
            label,
            read: async () =>
              new Map((await ofMeasure(measure)).map((row) => [row.label, row.value])),
          }
    return [`agent_rails_${name}`, gauge] as const
  })
  const late = keepFresh(readings.late, FRESH_MS)
  // A subject of which nothing is late has a zero, so that a rule sees the difference from a gauge that cannot be read.
  const ofLate = (sum: (rows: LateCount[]) => number) => async () => {
    const rows = await late()
    return new Map(
      lateSubjects.map((name) => [name, sum(rows.filter(({ subject }) => subject === name))]),
    )
  }
  const ofReviews = (of: (one: WaitingReviews) => number) => async () =>
    new Map((await reviews()).map((one) => [one.kind, of(one)]))
  return {
    ...Object.fromEntries(measured),
    agent_rails_reviews_waiting: {
      help: 'Subjects that wait for an operator’s decision.',
      label: 'kind',
      read: ofReviews(({ waiting }) => waiting),
    },
    agent_rails_review_oldest_seconds: {
      help: 'How long the oldest of them has waited.',
      label: 'kind',
      read: ofReviews(({ oldestSeconds }) => oldestSeconds),
    },
    agent_rails_late: {
      help: 'Open rows that are older than the target age of their state.',
      label: 'subject',
      read: ofLate((rows) => rows.reduce((sum, { count }) => sum + count, 0)),
    },
    agent_rails_late_oldest_seconds: {
      help: 'How long the oldest of them has been in its state.',
      label: 'subject',
      read: ofLate((rows) => Math.max(0, ...rows.map(({ oldest_seconds }) => oldest_seconds))),
    },
    agent_rails_provider_events: {
      help: 'Events of payment providers that an operator has to review.',
      read: readings.providerEvents,
    },
  }
}
