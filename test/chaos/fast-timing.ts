import type { timing as production } from '../../workflows/timing.ts'

type Scaled<T> = { [Key in keyof T]: T[Key] extends number ? number : Scaled<T[Key]> }

/** The workflows' times about 1:20; not shorter than two busy processors need for a heartbeat. */
export const timing: Scaled<typeof production> = {
  waitForCreate: 1_500,
  parkedRetry: 750,
  step: { startToClose: 1_500, localRetryThreshold: 2_000, retryFirst: 20, retryLongest: 300 },
  chain: { startToClose: 6_000, heartbeat: 1_200, retryFirst: 50, retryLongest: 500 },
  signing: { startToClose: 1_000 },
}
