import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = join(import.meta.dirname, '..', '..')

/** Only the pure tests of the domain: a mutant that survives them is a rule that needs a database to be checked. */
export default defineConfig({
  root,
  resolve: { alias: { '#domain': join(root, 'workflows', 'domain') } },
  test: { include: ['test/workflows/domain/**/*.test.ts'], testTimeout: 60_000 },
})
