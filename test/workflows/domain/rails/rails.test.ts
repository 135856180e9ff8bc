import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { z } from 'zod'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { gapKinds, type RailKey, railKeys, requestedTools } from '#domain/rails/rail.ts'
import { judgedGaps } from '#domain/rails/work/gaps.ts'
import { verifies } from '../../../verifies.ts'
import { expectCited } from './citations.ts'

verifies(
  'rails.sandbox-input',
  'every rail works and cites its sandbox input within its schema',
  () => {
    for (const rail of rails) {
      expect(rail.input.parse(rail.sandboxInput)).toEqual(rail.sandboxInput)
      const work = rail.work(rail.sandboxInput)
      expect(rail.result.parse(work.result)).toEqual(work.result)
      expect(expectCited(rail.sandboxInput, work), rail.key).toBeGreaterThan(0)
    }
  },
)

verifies(
  'rails.sandbox-input',
  'the published input schema is closed and accepts the sandbox input',
  () => {
    for (const rail of rails) {
      const schema = z.toJSONSchema(rail.input)
      expect(schema, rail.key).toMatchObject({ type: 'object', additionalProperties: false })
      const valid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
      expect(valid(rail.sandboxInput), `${rail.key} ${JSON.stringify(valid.errors)}`).toBe(true)
      expect(valid({ ...(rail.sandboxInput as object), surprise: 1 })).toBe(false)
      expect(() => z.toJSONSchema(rail.result)).not.toThrow()
    }
  },
)

verifies('rails.order', 'the same input gives the same bytes', () => {
  for (const rail of rails) {
    const again = structuredClone(rail.sandboxInput)
    expect(canonicalJson(rail.work(again))).toBe(canonicalJson(rail.work(rail.sandboxInput)))
    expect(again, `${rail.key} changes its input`).toEqual(rail.sandboxInput)
  }
})

// endpoints.md §22.1, row by row: paid agent use, quickstart, pricing model 2, loop, offers, requested tool, entry to pro.
const table: Record<
  RailKey,
  [boolean, boolean, boolean, 'current' | 'future', boolean, boolean, number[] | null]
> = {
  packetops: [true, true, true, 'current', false, true, [49, 99, 249]],
  diligenceops: [true, false, true, 'current', false, false, [99, 199, 399]],
  energyops: [false, true, true, 'current', true, false, [149, 299, 499]],
  distributionops: [false, true, true, 'current', false, true, [199, 399, 699]],
  tokenops: [false, true, false, 'current', true, true, [49, 99, 249]],
  financeops: [false, true, false, 'current', true, false, [99, 199, 399]],
  scout: [false, false, false, 'current', false, false, [0, 0, 0]],
  contractops: [false, false, false, 'future', false, false, null],
}

verifies(
  'rails.registry',
  'each rail is found by its key with the lists and prices of the table',
  () => {
    expect(rails.map(({ key }) => key).sort()).toEqual([...railKeys].sort())
    expect(rails.flatMap(({ key, takes }) => (takes.requestedTool ? key : [])).sort()).toEqual(
      [...requestedTools].sort(),
    )
    for (const rail of rails) {
      expect(railOf(rail.key)).toBe(rail)
      const { paidAgentUse, quickstart, pricingModelV2, controlledLoop, offer, requestedTool } =
        rail.takes
      const prices = rail.prices && [rail.prices.entry, rail.prices.standard, rail.prices.pro]
      const declared = [
        paidAgentUse,
        quickstart,
        pricingModelV2,
        controlledLoop,
        offer,
        requestedTool,
        prices,
      ]
      expect(declared, rail.key).toEqual(table[rail.key])
    }
  },
)

verifies('gaps.judged', 'each gap of a rail has its kind, its place and what fills it', () => {
  for (const rail of rails) {
    const { gaps } = rail.work(rail.inputWithGaps ?? rail.sandboxInput)
    for (const { code, kind, pointer, filled_by, detail } of gaps) {
      expect(rail.gapRules[code], `${rail.key} ${code}`).toBeDefined()
      expect(gapKinds).toContain(kind)
      expect(pointer, code).toMatch(/^\/[a-z_]+(\/|$)/)
      expect(filled_by.length * detail.length, code).toBeGreaterThan(0)
    }
    expect(
      gaps.map(({ kind }) => kind),
      rail.key,
    ).toContain('needed')
  }
  expect(() => judgedGaps({}, [{ code: 'other', detail: '', citations: [] }])).toThrow(RangeError)
})
