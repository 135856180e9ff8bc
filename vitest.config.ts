import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** They measure no speed, but what they do to a stack, or the short times they live by, takes a machine of its own. */
const alone = ['test/e2e/chaos/chaos.test.ts', 'test/temporal/task-times.test.ts']

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
const long = { testTimeout: 1_800_000, hookTimeout: 300_000, maxWorkers: 1 }

export default defineConfig({
  resolve: { alias: { '#domain': join(import.meta.dirname, 'workflows', 'domain') } },
  test: {
    projects: [
      project('tests', 0, {
        include: ['test/**/*.test.ts'],
        exclude: ['test/e2e/faults/**', ...alone],
        testTimeout: 60_000,
        hookTimeout: 120_000,
        maxWorkers: 2,
      }),
      project('alone', 1, {
        include: alone,
        testTimeout: 60_000,
        hookTimeout: 120_000,
        maxWorkers: 1,
      }),
      project('faults', 2, {
        include: ['test/e2e/faults/**/*.test.ts'],
        testTimeout: 240_000,
        hookTimeout: 240_000,
        maxWorkers: 2,
      }),
      project('bench', 3, { include: ['test/e2e/bench/**/*.bench.ts'], ...long }),
      project('judges', 4, { include: ['test/e2e/judges/**/*.judge.ts'], ...long }),
    ],
  },
})
