import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { MetricGauge } from '@temporalio/common'
import { Runtime } from '@temporalio/worker'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../activities/config/config.ts'
import type { MoneyDeps } from '../activities/credit/deps.ts'
import { accrueMonths, collectFees } from '../activities/credit/wallet-tier.ts'
import { type LogDeps, sequence } from '../activities/log/sequencer.ts'
import type { ProofLoopRow } from '../activities/store/commerce/proof-loops.ts'
import { forgetWakes } from '../activities/store/recovery/late-rows.ts'
import type { Database } from '../activities/store/schema/schema.ts'
import {
  applyEvents,
  closeUndecided,
  forgetCounts,
  proveLoops,
  releaseAbandoned,
  releaseOfEnded,
  removeInputs,
  returnUndelivered,
  verifyDue,
} from '../activities/sweep/housekeeping.ts'
import { abandonSandboxRuns, SANDBOX_STOPPED_MS } from '../activities/sweep/sandbox-runs.ts'
import type { TaskDeps } from '../activities/tasks/deps.ts'
import { wakeLate } from '../temporal/late-rows.ts'
import { notifyTasksBehind, wakeTask } from '../temporal/tasks.ts'

export type SweeperDeps = {
  client: Client
  db: Kysely<Database>
  log: Logger
  config: Pick<
    Config,
    | 'ENVIRONMENT'
    | 'LATE_AFTER_MS'
    | 'LOG_EVERY_MS'
    | 'SWEEP_EVERY_MS'
    | 'SWEEP_GRACE_MS'
    | 'INPUT_KEEP_MS'
    | 'INPUT_KEEP_SANDBOX_MS'
    | 'WORK_ORDER_KEEP_MS'
  >
  maintainGasWallets: () => Promise<void>
  money: MoneyDeps
  tasks: TaskDeps
  transparencyLog: LogDeps
  /** Judges the package of a loop that has closed. */
  proveLoop: (loop: ProofLoopRow) => Promise<void>
  /** One job for each witness that checkpoints are sent to. */
  pushes: Record<string, () => Promise<void>>
}

/**
 * Finishes what dead processes left behind and removes what is no longer kept. Every worker runs it: each job is idempotent.
 * Each job has its own loop, so the gas wallets are maintained while Temporal is slow or down.
 */
export function startSweeper(deps: SweeperDeps): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  // Each loop listens while it sleeps.
  setMaxListeners(0, signal)
  const gauge = failuresGauge()
  const { SWEEP_EVERY_MS } = deps.config
  const start = (jobs: Record<string, () => Promise<void>>, everyMs: number) =>
    Object.entries(jobs).map(([job, run]) =>
      repeat(run, { job, everyMs, log: deps.log, signal, gauge }),
    )
  const loops = start(jobsOf(deps), SWEEP_EVERY_MS).concat(
    start(
      {
        sequenceLog: async () => {
          await sequence(deps.transparencyLog)
        },
      },
      deps.config.LOG_EVERY_MS,
    ),
  )
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

function jobsOf(deps: SweeperDeps): Record<string, () => Promise<void>> {
  const { client, db, log, config, money, tasks, maintainGasWallets } = deps
  const { SWEEP_GRACE_MS: graceMs, WORK_ORDER_KEEP_MS: keepMs } = config
  const wake = (taskId: string) => wakeTask({ client, db }, taskId)
  return {
    releaseAbandoned: () => releaseAbandoned(db, graceMs),
    returnUndelivered: () => returnUndelivered(db),
    releaseOfEnded: () => releaseOfEnded(db),
    wakeLate: () => wakeLate(deps),
    forgetWakes: () => forgetWakes(db),
    removeInputs: () => removeInputs(db, config),
    forgetCounts: () => forgetCounts(db),
    closeUndecided: () => closeUndecided(tasks, keepMs, wake),
    abandonSandboxRuns: () => abandonSandboxRuns(tasks, SANDBOX_STOPPED_MS, wake),
    maintainGasWallets,
    applyEvents: () => applyEvents(money, log, graceMs),
    verifyDue: () => verifyDue(money, log, graceMs),
    proveLoops: () => proveLoops(db, log, deps.proveLoop),
    accrueMonths: () => accrueMonths(tasks),
    collectFees: () => collectFees(tasks),
    notifyTasksBehind: () => notifyTasksBehind(deps),
    ...deps.pushes,
  }
}

type Loop = { job: string; everyMs: number; log: Logger; signal: AbortSignal; gauge: MetricGauge }

/** Shown with the metrics of the Temporal client. */
const failuresGauge = (): MetricGauge =>
  Runtime.instance().metricMeter.createGauge(
    'agent_rails_sweep_failures',
    'int',
    undefined,
    'How often a sweep of this worker has failed since it last ended well.',
  )

async function repeat(
  run: () => Promise<void>,
  { job, everyMs, log, signal, gauge }: Loop,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    await run().then(
      () => {
        failures = 0
      },
      (error: unknown) => {
        failures += 1
        log.warn({ job, error: String(error) }, 'sweep failed; it is repeated')
      },
    )
    gauge.set(failures, { sweep: job })
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
  }
}
