import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { within } from './test/support/slowness.ts'

/** Rules without servers, clocks and files: their modules are loaded once for all of them. */
const pure = ['test/workflows/**/*.test.ts', 'test/api/registry/**/*.test.ts']
/** Long runs, most of them under faults, which stay next to the files of their subject. None of them changes its process. */
const faults = [
  'test/e2e/sequences/every-path/*.test.ts',
  'test/e2e/sequences/{access-key-delivery,as-pasted,controlled-pilot,credentials,exception-recovery,lost-registration,rail-pages}.test.ts',
  'test/e2e/faults/**/*.test.ts',
  'test/e2e/chaos/checker/*.test.ts',
  'test/e2e/chaos/mutations/*.test.ts',
  'test/e2e/model/*.test.ts',
  'test/e2e/clients/{package,payouts,python}.test.ts',
  'test/e2e/payouts/{attacks,authority,bodies,chain,debt,held-back,no-way-around,parking,payment-windows,price,reconciliation,settlement,switches,traces,watching}.test.ts',
  'test/e2e/agents/{agent-use,callbacks,contract-files,customer-runs,directory,harness,mcp-python,mcp-run,mpp,pilots,product-loop,task-money,trust,x402-run}.test.ts',
  'test/e2e/browser/{console,reference,reports}.test.ts',
  'test/api/attacks/{bodies,callers,live,texts}.test.ts',
  'test/api/operations/{authority/parallel,discovery/sandbox,exchange/exchange,pilots/run,production/first-paid-run,production/production-runs}.test.ts',
  'test/api/operations/{credit/wallets,reviews/evidence,reviews/revise,runs/runs,runs/wallet-runs}.test.ts',
  'test/temporal/{analyses,callbacks,drafts,fairness,killed-workers,run-limits,slow-steps,task-failures,tasks}.test.ts',
  'test/docs/guides.test.ts',
  'test/worker/{compose,demo,doctor,recover,review}.test.ts',
  'test/worker/stack/{once,starts}.test.ts',
]
/** Files that need the machine for themselves: they strike every part of a stack, or live by short times. */
const alone = ['test/temporal/task-times.test.ts', 'test/e2e/chaos/{chaos,storm}.test.ts']

/** Files of one process that share its modules: to load these took more time than many of their tests. */
const withStacks = ['test/e2e/payouts/**/*.test.ts']
const shared = ['test/{activities,api,temporal}/**/*.test.ts', ...withStacks]
/** Files that change their process, such as its environment, or that load a module twice or watch one. */
const changing = [
  'test/workflows/domain/commerce/growth-of-claims.test.ts',
  'test/activities/store/postgres/{db,schema}.test.ts',
  'test/activities/http/outgoing.test.ts',
  'test/activities/signer/modules/*.test.ts',
  'test/temporal/server/obtain.test.ts',
]
/** Files that measure how time or memory grows: anything that runs at the same time distorts them. */
const timed = ['test/e2e/faults/{growth-of-rows,growth-of-texts,screening,maxima}.test.ts']

/** A group of files that runs after the groups before it, in forks: Temporal's worker does not run in threads. */
const project = (name: string, groupOrder: number, test: object) => ({
  extends: true as const,
  test: {
    name,
    pool: 'forks' as const,
    sequence: { groupOrder },
    teardownTimeout: 20_000,
    ...test,
  },
})
/** Two more than the two cores of a small machine: tests wait for timers and blocks more than half of their time. */
const maxWorkers = 4
/** What a test polls for takes longer while other tests keep the machine busy: a second, the default of Vitest, is too short. */
const expectation = { poll: { timeout: within(120_000) } }
const normal = { testTimeout: within(180_000), hookTimeout: within(240_000) }
const long = { testTimeout: within(240_000), hookTimeout: within(240_000) }
const unbounded = { testTimeout: 1_800_000, hookTimeout: 300_000, maxWorkers: 1 }

export default defineConfig({
  resolve: { alias: { '#domain': join(import.meta.dirname, 'workflows', 'domain') } },
  test: {
    globalSetup: 'test/support/run-servers.ts',
    expect: expectation,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('pure', 0, {
        include: pure,
        exclude: changing,
        isolate: false,
        maxWorkers,
        ...normal,
      }),
      project('shared', 0, {
        include: shared,
        exclude: [...pure, ...faults, ...alone, ...changing],
        isolate: false,
        maxWorkers,
        ...normal,
      }),
      project('tests', 0, {
        include: [
          'test/*.test.ts',
          'test/!(activities|api|temporal|workflows)/**/*.test.ts',
          ...changing,
        ],
        exclude: [...withStacks, ...faults, ...alone],
        maxWorkers,
        ...normal,
      }),
      project('faults', 1, {
        include: faults,
        exclude: timed,
        isolate: false,
        maxWorkers: maxWorkers - 1,
        ...long,
      }),
      project('alone', 2, { include: alone, maxWorkers: 1, ...long }),
      project('timed', 3, { include: timed, maxWorkers: 1, ...long }),
      project('bench', 4, { include: ['test/e2e/bench/**/*.bench.ts'], ...unbounded }),
      project('checks', 5, { include: ['test/e2e/checks/**/*.check.ts'], ...unbounded }),
      project('judge', 6, { include: ['test/e2e/checks/**/*.judge.ts'], ...unbounded }),
    ],
  },
})
