import { timing as fast } from '../e2e/chaos/fast-timing.ts'

/** Times of tasks and runs that a test can wait for; each differs from the others. */
export const timing: typeof fast = {
  ...fast,
  updatesPerRun: 12,
  idleCheck: { first: 500, next: 500 },
  task: {
    limits: { contract_ready: 2_000, quoted: 2_500, credit_pending: 1_500 },
    queued: 1_000,
    idle: 2_000,
    elsewhere: { run: 100, callback: 1_000 },
  },
  run: {
    startToClose: 20_000,
    heartbeat: 2_000,
    retryFirst: 100,
    retryLongest: 1_000,
    attempts: 3,
    review: 1_500,
  },
}
