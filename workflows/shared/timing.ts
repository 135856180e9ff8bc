import type { TaskState } from '../domain/tasks/lifecycle.ts'

/** How long a task may stay in a state, in milliseconds. */
export type StateLimits = Partial<Record<TaskState, number>>

/**
 * How long workflows wait and try, in milliseconds. They are part of the bundle, so that every worker that runs it agrees; a
 * history replays whatever they are, because Temporal compares the order of steps and not their times.
 */
export const timing = {
  /** A run without a row gives up its create after this. */
  waitForCreate: 30_000,
  /** A count: Temporal allows 2,000 updates in one run, and a renewed run starts anew. */
  updatesPerRun: 1_500,
  /** When a resting payout looks whether it was idle for too long: `first` after its create, when most have long been executed. */
  idleCheck: { first: 1_800_000, next: 86_400_000 },
  /** Between two tries of a transfer that cannot be sent now: doubles from `first` to `longest`; a wake tries at once. */
  parkedRetry: { first: 15_000, longest: 600_000 },
  /**
   * A step, with all its tries, has to end well within its workflow task: the server lets a worker renew a task of 10 s
   * after 8 s, and an update that comes with the renewal leaves a history that does not replay. Two may follow each other.
   */
  step: {
    startToClose: 3_500,
    scheduleToClose: 3_900,
    retryFirst: 50,
    retryLongest: 1_000,
    again: 500,
  },
  chain: { startToClose: 120_000, heartbeat: 6_000, retryFirst: 500, retryLongest: 10_000 },
  signing: { startToClose: 3_000 },
  reconciliation: {
    startToClose: 300_000,
    heartbeat: 60_000,
    retryFirst: 1_000,
    retryLongest: 60_000,
  },
  /** An attempt takes 5 s of somebody else's time at most; what takes longer is our database. */
  callback: { startToClose: 15_000, retryFirst: 500, retryLongest: 60_000 },
  /** A day's statement reads the whole day. */
  statement: { startToClose: 600_000 },
  /** `limits`: how long a task may stay in a state; `queued`: between two looks for a slot, which a free one shortens. */
  task: {
    limits: {
      contract_ready: 24 * 3600 * 1000,
      quoted: 24 * 3600 * 1000,
      credit_pending: 3600 * 1000,
    },
    queued: 120_000,
    idle: 30 * 24 * 3600 * 1000,
    /** Between two looks at work that another workflow has: a run that is closing, a callback that the sweep found first. */
    elsewhere: { run: 1_000, callback: 60_000 },
  },
  /**
   * A loop step, whose work may take ten minutes on the clock (`RUN_CPU_MS`) after it waited for a process; when its worker dies,
   * another has it after `heartbeat`. `review`: between two looks for a decision, which a wake shortens.
   */
  run: {
    startToClose: 1_800_000,
    heartbeat: 10_000,
    retryFirst: 500,
    retryLongest: 10_000,
    attempts: 6,
    review: 24 * 3600 * 1000,
  },
} as const
