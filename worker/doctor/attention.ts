import type { Config } from '../../activities/config/config.ts'
import { taskDepsOf } from '../../activities/container.ts'
import { openKeyRings } from '../../activities/signer/open.ts'
import { type AttentionKind, summarizeAttention } from '../../activities/store/console/attention.ts'
import { countEventsToSee } from '../../activities/store/credit/provider-events.ts'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import { readOpenWork } from '../../activities/store/reconciliation/open-work.ts'
import type { TargetAges } from '../../activities/store/recovery/late-rows.ts'
import type { TaskDeps } from '../../activities/tasks/deps.ts'
import { countWaiting, reviewSubjects } from '../../api/services/reviews/subjects.ts'
import { targetAges } from '../../temporal/late-rows.ts'

/** Work of one kind that waits for a person or is wrong, and the command that shows it. */
export type Need = {
  readonly kind: AttentionKind | 'review' | 'callback' | 'provider_event'
  /** The kind of review, the event of the callback, or why the others are stopped. */
  readonly code: string
  readonly count: number
  /** For how long the oldest has waited; null where no time is stored. */
  readonly oldest_seconds: number | null
  readonly next: string
}

const nextOf: Record<AttentionKind, (code: string) => string> = {
  task: (code) => `npx agent-rails recover list --stuck --where kind=task --where code=${code}`,
  payout: () => 'npx agent-rails recover list --stuck --where kind=payout',
  difference: () => 'npx agent-rails recover exceptions',
  late: (subject) => `npx agent-rails recover list --stuck --where kind=${subject}`,
}

/** Everything that needs attention; empty if the database does not answer, which other checks report. */
export async function readNeeds(config: Config): Promise<Need[]> {
  const { db, close } = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails doctor',
    poolSize: 4,
    connectTimeoutMs: 3_000,
    queryTimeoutMs: 3_000,
  })
  const none = (): Need[] => []
  try {
    const needs = await Promise.all([
      readStopped(db, targetAges(config)).catch(none),
      readReviews(config, db).catch(none),
      readCallbacks(db).catch(none),
      readEvents(db).catch(none),
    ])
    return needs.flat()
  } finally {
    await close()
  }
}

async function readStopped(db: TaskDeps['db'], ages: TargetAges): Promise<Need[]> {
  const stopped = await summarizeAttention(db, ages)
  return stopped.map((one) => ({ ...one, next: nextOf[one.kind](one.code) }))
}

async function readReviews(config: Config, db: TaskDeps['db']): Promise<Need[]> {
  const subjects = reviewSubjects(taskDepsOf(config, await openKeyRings(config), db))
  const waiting = (await countWaiting(db, subjects)).filter(({ waiting: count }) => count > 0)
  return waiting.map(({ kind, waiting: count, oldestSeconds }) => ({
    kind: 'review',
    code: kind,
    count,
    oldest_seconds: oldestSeconds,
    next: `npx agent-rails review list --kind ${kind}`,
  }))
}

async function readCallbacks(db: TaskDeps['db']): Promise<Need[]> {
  const failing = (await readOpenWork(db)).filter(({ measure }) => measure === 'callbacks_failing')
  return failing.map(({ label, value }) => ({
    kind: 'callback',
    code: label,
    count: value,
    oldest_seconds: null,
    next: 'npx agent-rails recover list --stuck --where code=callback_failed',
  }))
}

async function readEvents(db: TaskDeps['db']): Promise<Need[]> {
  const count = await countEventsToSee(db)
  const next = 'npx agent-rails recover exceptions'
  return count === 0
    ? []
    : [{ kind: 'provider_event', code: 'unapplied', count, oldest_seconds: null, next }]
}

/** Two lines for each: what waits and for how long, and the command. */
export function textOfNeeds(needs: readonly Need[]): string {
  return needs
    .map(({ kind, code, count, oldest_seconds, next }) => {
      const age = oldest_seconds === null ? '' : `, the oldest for ${textOfAge(oldest_seconds)}`
      return `WAITS  ${count} ${kind} ${code}${age}\n       → ${next}`
    })
    .join('\n')
}

function textOfAge(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} d`
}
