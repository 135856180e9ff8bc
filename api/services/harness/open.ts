import { limits } from '#domain/core/limits.ts'
import { notifyHarness } from '../../../temporal/workflow-starts.ts'
import type { Adapters } from '../../adapters.ts'
import { Regressions } from './regressions.ts'
import { HarnessTests } from './tests.ts'

/** Tests of the running service and the store of their reports. */
export function openHarness(adapters: Adapters) {
  const { config, client, callbackHosts } = adapters
  const { ownHosts } = callbackHosts
  return {
    tests: new HarnessTests({
      ...adapters,
      outside: { ownHosts },
      runsMax: { hour: config.HARNESS_RUNS_PER_HOUR, day: config.HARNESS_RUNS_PER_DAY },
      waitMs: limits.harnessWaitMs,
      notify: notifyHarness.bind(null, client),
    }),
    regressions: new Regressions(adapters),
  }
}
