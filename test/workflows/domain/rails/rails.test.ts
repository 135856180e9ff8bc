import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { z } from 'zod'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { gapKinds, railKeys, requestedTools } from '#domain/rails/rail.ts'
import { judgedGaps } from '#domain/rails/work/work.ts'
import { verifies } from '../../../verifies.ts'
import { railCases } from './cases.ts'
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
      expect(declared, rail.key).toEqual(railCases[rail.key].declared)
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
