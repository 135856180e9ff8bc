import type { TaskState } from '../domain/tasks/lifecycle.ts'

/** How long a task may stay in a state, in milliseconds. */
export type StateLimits = Partial<Record<TaskState, number>>

/**
 * Waits and timeouts of workflows, in milliseconds. They are part of the bundle, so that all workers use the same values.
 * Histories replay with other values too, because Temporal compares the order of steps and not their times.
 */
export const timing = {
  /** How long a run without a row waits for its create. */
  waitForCreate: 30_000,
  /** A count: Temporal allows 2,000 updates in one run. A renewed run starts from zero. */
  updatesPerRun: 1_500,
  /** When a waiting payout checks whether it was idle for too long. Most payouts are executed before the `first` check. */
  idleCheck: { first: 60_000, next: 86_400_000 },
  /** Between two attempts to send a parked transfer: doubles from `first` to `longest`; `expired`: the longest once its authorization has ended. A wake retries immediately. */
  parkedRetry: { first: 15_000, longest: 600_000, expired: 10_000 },
  /**
   * A step with all its attempts must end well within its workflow task, and two steps may follow each other. A worker renews a
   * task of 10 s after 8 s, and an update that arrives with the renewal leaves a history that does not replay.
   */
  step: {
    startToClose: 3_500,
    scheduleToClose: 3_900,
    retryFirst: 50,
    retryLongest: 1_000,
    retryDelay: 500,
  },
  /** Between the last attempt of a step that an outage failed and its next one. */
  outage: 10_000,
  chain: { startToClose: 120_000, heartbeat: 6_000, retryFirst: 500, retryLongest: 10_000 },
  signing: { startToClose: 3_000 },
  reconciliation: {
    startToClose: 300_000,
    heartbeat: 60_000,
    retryFirst: 1_000,
    retryLongest: 60_000,
  },
  /** The receiver gets 5 s for an attempt; the rest is time for our database. */
  callback: { startToClose: 15_000, retryFirst: 500, retryLongest: 60_000 },
  /** A directory gets 5 s for an attempt. */
  directory: { startToClose: 15_000, retryFirst: 500, retryLongest: 60_000 },
  /** The step of an invitation reads and changes its row. */
  invitation: { startToClose: 15_000, retryFirst: 200, retryLongest: 15_000 },
  /** An operation may wait for steps of a task; an outcome that is not known is looked for again. */
  delegation: { startToClose: 60_000, retryFirst: 200, retryLongest: 15_000 },
  /** A step of a rotation of keys asks the signer and signs a receipt. `reread`: between two reads of the row; a wake ends the wait. */
  keyRotation: { startToClose: 15_000, retryFirst: 200, retryLongest: 15_000, reread: 300_000 },
  /** The statement of a day reads the whole day, which takes 9,000 requests where a node answers for 10 blocks of logs. */
  statement: { startToClose: 4 * 3600 * 1000 },
  /** `limits`: how long a task may stay in a state. `queued`: between two checks for a slot; a free slot ends the wait. */
  task: {
    limits: {
      contract_ready: 24 * 3600 * 1000,
      quoted: 24 * 3600 * 1000,
      credit_pending: 3600 * 1000,
    },
    queued: 120_000,
    idle: 30 * 24 * 3600 * 1000,
    /** Between two checks of work in another workflow: a run that is closing, or a callback that the sweep has started. */
    elsewhere: { run: 1_000, callback: 60_000 },
  },
  /**
   * A loop step may work for ten minutes (`RUN_CPU_MS`) after it has waited for a process. If its worker dies, another worker takes
   * over after `heartbeat`. `review`: between two checks for a decision; a wake ends the wait.
   */
  run: {
    startToClose: 1_800_000,
    heartbeat: 10_000,
    retryFirst: 500,
    retryLongest: 10_000,
    attempts: 6,
    review: 24 * 3600 * 1000,
  },
  /** A call may take `MODEL_TIMEOUT_MS`; without a worker that calls, a run does not wait longer than `scheduleToClose`. */
  model: {
    startToClose: 90_000,
    scheduleToClose: 240_000,
    draftAttempts: 3,
    retryFirst: 1_000,
    retryLongest: 10_000,
  },
  /** A step of a test may wait for a run, for the place of a receipt in the log, and for a limit of calls that lasts a minute. */
  harness: {
    startToClose: 300_000,
    heartbeat: 10_000,
    retryFirst: 500,
    retryLongest: 10_000,
    attempts: 3,
  },
} as const
