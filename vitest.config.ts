import { defineConfig } from 'vitest/config'

/** They measure no speed, but what they do to a stack, or the short times they live by, takes a machine of its own: after everything else. */
const alone = ['test/chaos/chaos.test.ts', 'test/temporal/task-times.test.ts']

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/faults/**', ...alone],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
