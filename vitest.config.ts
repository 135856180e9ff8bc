import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Long runs under faults, which stay next to the files of their subject. */
const faults = [
  'test/e2e/faults/**/*.test.ts',
  'test/e2e/chaos/mutations/*.test.ts',
  'test/temporal/fairness.test.ts',
  'test/temporal/killed-workers.test.ts',
  'test/worker/stack/starts.test.ts',
]
/** Files that need the machine for themselves: they strike every part of a stack, or live by short times. */
const alone = ['test/temporal/task-times.test.ts']
const aloneUnderFaults = ['test/e2e/chaos/chaos.test.ts']

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
const normal = { testTimeout: 60_000, hookTimeout: 120_000 }
const long = { testTimeout: 240_000, hookTimeout: 240_000 }
const unbounded = { testTimeout: 1_800_000, hookTimeout: 300_000, maxWorkers: 1 }

export default defineConfig({
  resolve: { alias: { '#domain': join(import.meta.dirname, 'workflows', 'domain') } },
  test: {
    globalSetup: 'test/support/run-servers.ts',
    projects: [
      project('tests', 0, {
        include: ['test/**/*.test.ts'],
        exclude: [...faults, ...alone, ...aloneUnderFaults],
        maxWorkers: 2,
        ...normal,
      }),
      project('alone', 1, { include: alone, maxWorkers: 1, ...normal }),
      project('faults', 2, { include: faults, maxWorkers: 2, ...long }),
      project('chaos', 3, { include: aloneUnderFaults, maxWorkers: 1, ...long }),
      project('bench', 4, { include: ['test/e2e/bench/**/*.bench.ts'], ...unbounded }),
      project('judges', 5, { include: ['test/e2e/judges/**/*.judge.ts'], ...unbounded }),
    ],
  },
})
