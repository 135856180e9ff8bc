import { expect } from 'vitest'
import { canonicalJson } from '../../../workflows/domain/canonical-json.ts'
import { railOf, rails } from '../../../workflows/domain/rails/index.ts'
import { verifies } from '../../verifies.ts'
import { expectCited } from './citations.ts'

verifies('rails.sandbox-input', 'every rail works its own sandbox input, cites it, and answers by its schema', () => {
  for (const rail of rails) {
    expect(rail.input.parse(rail.sandboxInput)).toEqual(rail.sandboxInput)
    const work = rail.work(rail.sandboxInput)
    expect(rail.result.parse(work.result)).toEqual(work.result)
    expect(expectCited(rail.sandboxInput, work), rail.key).toBeGreaterThan(0)
  }
})

verifies('rails.order', 'the same input gives the same bytes', () => {
  for (const rail of rails) {
    const again = structuredClone(rail.sandboxInput)
    expect(canonicalJson(rail.work(again))).toBe(canonicalJson(rail.work(rail.sandboxInput)))
    expect(again, `${rail.key} changes its input`).toEqual(rail.sandboxInput)
  }
})

verifies('rails.registry', 'a rail is found by its key, once', () => {
  for (const rail of rails) expect(railOf(rail.key)).toBe(rail)
  expect(new Set(rails.map(({ key }) => key)).size).toBe(rails.length)
})
