import { test } from 'vitest'
import type { RequirementId } from './requirements/index.ts'
import { within } from './support/slowness.ts'

declare module 'vitest' {
  interface TaskMeta {
    requirements?: readonly RequirementId[]
  }
}

/**
 * A test that proves requirements. The report of a run says which ids a passed test has proven, and `coverage.test.ts` reads
 * them from the source text: write them as literals in the call. `timeoutMs` is longer on a slow machine.
 */
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  fn: () => unknown,
  timeoutMs?: number,
): void {
  test(
    name,
    async ({ task }) => {
      task.meta.requirements = typeof ids === 'string' ? [ids] : ids
      await fn()
    },
    timeoutMs === undefined ? undefined : within(timeoutMs),
  )
}
