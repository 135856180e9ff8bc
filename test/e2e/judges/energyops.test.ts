import { expect, test } from 'vitest'
import { type EnergyopsInput, energyops, lineReasons } from '#domain/rails/energyops/index.ts'
import { hasPython, judged } from './truths.ts'

type Cells = (string | number | null)[]
type Truth = {
  line_items: Cells[]
  energy_by_band: Record<string, string>
  demand: Cells[]
  bill_lines: Cells[]
  exact: string
  rounded: number
  difference: number
  whole: boolean
}

const seen = new Set<string>()
const sorted = (rows: Cells[]) => rows.map((row) => JSON.stringify(row)).toSorted()

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  test.skipIf(!hasPython)(`energyops bills what Python planted with seed ${seed}`, () => {
    const { input, truth } = judged<{ input: EnergyopsInput; truth: Truth }>('energyops', seed)
    const { result } = energyops.work(energyops.input.parse(input))
    expect(
      result.line_items.map(({ kind, name, block, month, quantity, amount_minor }) => [
        kind,
        name,
        block,
        month,
        quantity,
        amount_minor,
      ]),
    ).toEqual(truth.line_items)
    const energies = result.energy_by_band.flatMap(({ band, intervals, energy }) =>
      intervals === 0 ? [] : [[band, energy]],
    )
    expect(Object.fromEntries(energies)).toEqual(truth.energy_by_band)
    expect(
      result.demand.map(({ name, month, at, peak, billed }) => [name, month, at, peak, billed]),
    ).toEqual(truth.demand)
    expect(
      sorted(
        result.bill_lines.map((one) => [
          one.kind,
          one.name,
          one.block,
          one.month,
          one.billed_minor,
          one.recomputed_exact_minor,
          one.difference_minor,
          one.reason,
        ]),
      ),
    ).toEqual(sorted(truth.bill_lines))
    expect(result).toMatchObject({
      recomputed_exact_minor: truth.exact,
      recomputed_minor: truth.rounded,
      difference_minor: truth.difference,
    })
    const { lowest_minor = null, highest_minor = null } = result.range ?? {}
    expect(result.range === null, 'a range where an interval is missing').toBe(truth.whole)
    if (lowest_minor !== null && highest_minor !== null) {
      expect(lowest_minor).toBeLessThanOrEqual(truth.rounded)
      expect(highest_minor).toBeGreaterThanOrEqual(truth.rounded)
      const [least, most] = [
        result.billed_minor - highest_minor,
        result.billed_minor - lowest_minor,
      ]
      if (result.verdict === 'overbilled') expect(least).toBeGreaterThan(0)
      if (result.verdict === 'underbilled') expect(most).toBeLessThan(0)
    }
    for (const { reason } of result.bill_lines) seen.add(reason)
  })

test.skipIf(!hasPython)('each reason was planted', () => {
  expect([...seen].toSorted()).toEqual([...lineReasons].toSorted())
})
