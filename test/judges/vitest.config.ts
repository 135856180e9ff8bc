import { defineConfig } from 'vitest/config'

/** `npm run judge:…`: outside judges of the service, never part of `npm test`. */
export default defineConfig({
  test: {
    include: ['test/judges/**/*.judge.ts'],
    pool: 'forks',
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
