import { defineConfig } from 'vitest/config'

/** `npm run bench:lane`: the lane alone, on a chain and a database of its own; never part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/bench/**/*.bench.ts'],
    pool: 'forks',
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
