import { test } from 'vitest'
import type { RequirementId } from './requirements.ts'

/** A test that proves requirements. `coverage.test.ts` reads the ids from the source text, so they stand in the call as literals. */
export function verifies(
  _ids: RequirementId | readonly RequirementId[],
  name: string,
  fn: () => unknown,
  timeoutMs?: number,
): void {
  test(
    name,
    async () => {
      await fn()
    },
    timeoutMs,
  )
}
