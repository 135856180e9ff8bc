import type { timing as production } from '../../../workflows/shared/timing.ts'

type Scaled<T> = { [Key in keyof T]: T[Key] extends number ? number : Scaled<T[Key]> }

/** The workflows' times about 1:20; not shorter than two busy processors need for a heartbeat. */
export const timing: Scaled<typeof production> = {
  waitForCreate: 1_500,
  updatesPerRun: 1_500,
  idleCheck: { first: 90_000, next: 4_320_000 },
  parkedRetry: { first: 750, longest: 750, expired: 750 },
  step: {
    startToClose: 3_500,
    scheduleToClose: 3_900,
    retryFirst: 50,
    retryLongest: 1_000,
    retryDelay: 100,
  },
  outage: 500,
  chain: { startToClose: 8_000, heartbeat: 3_000, retryFirst: 100, retryLongest: 1_000 },
  signing: { startToClose: 2_000 },
  reconciliation: { startToClose: 6_000, heartbeat: 2_500, retryFirst: 100, retryLongest: 1_000 },
  callback: { startToClose: 6_000, retryFirst: 100, retryLongest: 1_000 },
  delegation: { startToClose: 60_000, retryFirst: 100, retryLongest: 1_000 },
  invitation: { startToClose: 6_000, retryFirst: 100, retryLongest: 1_000 },
  directory: { startToClose: 6_000, retryFirst: 100, retryLongest: 1_000 },
  keyRotation: { startToClose: 6_000, retryFirst: 100, retryLongest: 1_000, reread: 15_000 },
  statement: { startToClose: 6_000 },
  task: {
    limits: { contract_ready: 60_000, quoted: 60_000, credit_pending: 60_000 },
    queued: 1_500,
    idle: 60_000,
    elsewhere: { run: 100, callback: 1_000 },
  },
  run: {
    startToClose: 6_000,
    heartbeat: 2_500,
    retryFirst: 100,
    retryLongest: 1_000,
    attempts: 6,
    review: 60_000,
  },
  model: {
    startToClose: 8_000,
    scheduleToClose: 20_000,
    draftAttempts: 3,
    retryFirst: 100,
    retryLongest: 1_000,
  },
  harness: {
    startToClose: 120_000,
    heartbeat: 5_000,
    retryFirst: 100,
    retryLongest: 1_000,
    attempts: 3,
  },
}
