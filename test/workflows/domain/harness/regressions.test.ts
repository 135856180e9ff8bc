import { expect } from 'vitest'
import { diffOf } from '#domain/harness/regressions.ts'
import { verifies } from '../../../verifies.ts'

const report = (results: Record<string, boolean>) =>
  Object.entries(results).map(([step, ok]) => ({ step, ok }))

verifies('regression.diff', 'newly failing and fixed are against the report before', () => {
  const before = report({ a: true, b: false, c: false })
  expect(diffOf(before, report({ a: false, b: true, c: false, d: false, e: true }))).toEqual({
    newly_failing: ['a', 'd'],
    fixed: ['b'],
  })
  expect(diffOf(before, before)).toEqual({ newly_failing: [], fixed: [] })
  expect(diffOf(undefined, before)).toEqual({ newly_failing: ['b', 'c'], fixed: [] })
})
