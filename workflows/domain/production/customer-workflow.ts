import type { StateTable } from '../core/state-table.ts'
import type { Decision } from '../reviews/review.ts'

/** How often a workflow of a customer starts a run; `on_demand` only when its agent says so. */
export const cadences = ['on_demand', 'daily', 'weekly', 'monthly'] as const
export type Cadence = (typeof cadences)[number]

export const workflowStates = ['waiting', 'active', 'paused', 'rejected', 'deleted'] as const
export type WorkflowState = (typeof workflowStates)[number]

export type WorkflowMove = 'pause' | 'resume' | 'delete'

/** The state table of a workflow: an operator approves or rejects it, and its agent moves it. */
export const workflowTransitions: StateTable<WorkflowState, WorkflowMove | 'approve' | 'reject'> = {
  waiting: { approve: 'active', reject: 'rejected', delete: 'deleted' },
  active: { pause: 'paused', delete: 'deleted' },
  paused: { resume: 'active', delete: 'deleted' },
  rejected: {},
  deleted: {},
}

export const workflowDecisions = (state: WorkflowState): Decision[] =>
  state === 'waiting' ? ['approve', 'reject'] : []

const HOUR_S = 3600
/** Decision: the shortest time between two firings of a workflow that start a run, in seconds. */
export const intervalSecondsMin: Readonly<Record<Cadence, number>> = {
  on_demand: HOUR_S,
  daily: 23 * HOUR_S,
  weekly: 6 * 24 * HOUR_S,
  monthly: 27 * 24 * HOUR_S,
}

const days = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const
type Calendar = {
  minute: number
  hour: number
  dayOfWeek?: (typeof days)[number]
  dayOfMonth?: number
}
/** When a workflow fires, in UTC: at the time at which it was made, on its day; null without a cadence. No month lacks day 28. */
export function calendarOf(cadence: Cadence, made: Date): Calendar | null {
  const at = { minute: made.getUTCMinutes(), hour: made.getUTCHours() }
  if (cadence === 'daily') return at
  if (cadence === 'weekly') return { ...at, dayOfWeek: days[made.getUTCDay()] ?? 'SUNDAY' }
  if (cadence === 'monthly') return { ...at, dayOfMonth: Math.min(made.getUTCDate(), 28) }
  return null
}

/** A schedule may begin a firing by a clock that is ahead of ours by so much. */
const AHEAD_MS = 5 * 60_000

/** When the firing that begins now was due: at the newest time of the calendar, or now without a cadence. Two firings of one time fall together. */
export function firingDueAt(cadence: Cadence, made: Date, now: Date): Date {
  const calendar = calendarOf(cadence, made)
  if (calendar === null) return now
  const { hour, minute, dayOfWeek, dayOfMonth } = calendar
  const due = new Date(now.getTime() + AHEAD_MS)
  const latest = due.getTime()
  due.setUTCHours(hour, minute, 0, 0)
  const isDue = () =>
    due.getTime() <= latest &&
    (dayOfWeek === undefined || days[due.getUTCDay()] === dayOfWeek) &&
    (dayOfMonth === undefined || due.getUTCDate() === dayOfMonth)
  while (!isDue()) due.setUTCDate(due.getUTCDate() - 1)
  return due
}
