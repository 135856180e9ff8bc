import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { railOf, rails } from '#domain/rails/index.ts'
import type { RailKey, Work } from '#domain/rails/rail.ts'
import { plannedChecks, validateWork, workChecks } from '../../../activities/runs/validation.ts'
import { workOnInput } from '../../../activities/runs/work-on-rows.ts'
import { verifies } from '../../verifies.ts'
import { railCases } from '../../workflows/domain/rails/cases.ts'
import { goldenInputs } from '../../workflows/domain/rails/golden.ts'

/** An input that names no uploads. */
const inline = { sources: {}, extractions: [] }

// biome-ignore lint/suspicious/noExplicitAny: results of all rails are changed here by hand.
type Any = any
const checksOf = (key: RailKey, value: unknown, work: Work<unknown>) => {
  const rail = railOf(key)
  return validateWork(
    { rail, tier: 'pro', value, lists: [], again: (see) => workOnInput(rail, value, inline, see) },
    work,
  )
}
const failed = async (key: RailKey, value: unknown, work: Work<unknown>) =>
  (await checksOf(key, value, work)).flatMap(({ check, ok }) => (ok ? [] : [check]))

verifies(
  'loop.validator.holds',
  'right work on many inputs passes every planned check',
  async () => {
    for (const rail of rails) {
      const inputs = [rail.sandboxInput, rail.inputWithGaps ?? rail.sandboxInput]
      for (const value of [...inputs, ...goldenInputs(rail).slice(0, 24)]) {
        const checks = await checksOf(rail.key, value, rail.work(value as never))
        const wrong = checks.filter(({ ok }) => !ok)
        expect(wrong, rail.key).toEqual([])
        const names = plannedChecks(rail, value).map(({ check }) => check)
        expect(checks.map(({ check }) => check)).toEqual(names)
        expect(names.length, rail.key).toBeGreaterThan(workChecks.length + 3)
      }
    }
  },
)

for (const { key, sandboxInput: value } of rails)
  verifies('loop.validator.faults', `a wrong result of ${key} is seen by its check`, async () => {
    const names = plannedChecks(railOf(key), value).map(({ check }) => check)
    expect(Object.keys(railCases[key].planted)).toEqual(names.slice(workChecks.length))
    for (const [check, change] of Object.entries(railCases[key].planted)) {
      const work = structuredClone(railOf(key).work(value as never)) as Work<unknown>
      change(work.result)
      const seen = await failed(key, value, work)
      expect(seen, `${key} ${check}`).toContain(check)
      expect(seen).toContain('result_repeated')
    }
  })

verifies('loop.validator.citations', 'a citation anywhere in a work has to stand', async () => {
  const { sandboxInput } = railOf('diligenceops')
  const work = structuredClone(railOf('diligenceops').work(sandboxInput)) as Work<Any>
  work.result.answers[0].citations[0].from += 1
  expect(await failed('diligenceops', sandboxInput, work)).toContain('citations_stand')
  const elsewhere = structuredClone(railOf('tokenops').work(railOf('tokenops').sandboxInput))
  ;(elsewhere.result as Any).cost_by_model[0].citations[0].pointer = '/usage/999'
  expect(await failed('tokenops', railOf('tokenops').sandboxInput, elsewhere)).toContain(
    'citations_stand',
  )
})

verifies('loop.validator.holds', 'uploaded rows are checked as inline ones', async () => {
  const rail = railOf('tokenops')
  const { usage, ...head } = rail.sandboxInput as { usage: object[] }
  const text = usage.map((row) => JSON.stringify(row)).join('\n')
  const source = () => ({ format: 'jsonl', stream: Readable.from([Buffer.from(text)]) }) as const
  const value = { ...head, usage: { sha256: 'a'.repeat(64) } }
  const again = (see?: (list: string, row: unknown, index: number) => void) =>
    workOnInput(rail, value, { ...inline, sources: { usage: source() } }, see)
  const work = await again()
  const input = { rail, tier: 'pro', value, lists: ['usage'], again } as const
  expect((await validateWork(input, work)).filter(({ ok }) => !ok)).toEqual([])
  ;(work.result as Any).cost_by_model[0].rows += 1
  const seen = (await validateWork(input, work)).flatMap(({ check, ok }) => (ok ? [] : [check]))
  expect(seen).toContain('rows_counted')
})

verifies(
  'loop.validator.faults',
  'a result of another form fails all checks of its rail',
  async () => {
    const { sandboxInput, audit } = railOf('scout')
    const seen = await failed('scout', sandboxInput, { result: 7, findings: [], gaps: [] })
    expect(seen).toEqual(expect.arrayContaining(audit.plan(sandboxInput).map(({ check }) => check)))
    expect(seen).toContain('result_fits')
  },
)

verifies('loop.validator.faults', 'a cost of a model that has no price is named', async () => {
  const rail = railOf('tokenops')
  const value = rail.sandboxInput
  const again = (see: Parameters<typeof workOnInput>[3]) => workOnInput(rail, value, inline, see)
  const work = structuredClone(await again(() => undefined)) as Work<Any>
  work.result.cost_by_model[0].model = 'unknown-1'
  const checks = await validateWork({ rail, tier: 'standard', value, lists: [], again }, work)
  expect(checks.find(({ check }) => check === 'costs_recomputed')).toMatchObject({
    ok: false,
    detail: 'unknown-1 has no price',
  })
})
