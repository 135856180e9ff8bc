import { limits } from '#domain/core/limits.ts'
import type { CallbackHosts } from '../../../activities/callbacks/hosts.ts'
import type { Config } from '../../../activities/config/config.ts'
import type { HarnessRunRow } from '../../../activities/store/harness/runs.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { Regressions } from './regressions.ts'
import { HarnessTests } from './tests.ts'

type Adapters = {
  config: Pick<Config, 'HARNESS_RUNS_PER_HOUR' | 'HARNESS_RUNS_PER_DAY'>
  changes: Changes
  receiptIssuer: ReceiptIssuer & { db: Tx }
  taskDeps: { callbackHosts: Pick<CallbackHosts, 'ownHosts'> }
  notify(run: HarnessRunRow): Promise<void>
}

/** Tests of the running service and the store of their reports. */
export function openHarness({ config, changes, receiptIssuer, taskDeps, notify }: Adapters) {
  const { ownHosts } = taskDeps.callbackHosts
  return {
    tests: new HarnessTests({
      db: receiptIssuer.db,
      changes,
      outside: { ownHosts },
      runsMax: { hour: config.HARNESS_RUNS_PER_HOUR, day: config.HARNESS_RUNS_PER_DAY },
      waitMs: limits.harnessWaitMs,
      notify,
    }),
    regressions: new Regressions(receiptIssuer),
  }
}

export type HarnessServices = ReturnType<typeof openHarness>
