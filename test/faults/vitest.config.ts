import { defineConfig } from 'vitest/config'

/** `npm run test:faults`: processes that are killed, and the largest inputs. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 20_000,
  },
})
