import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { rails } from '#domain/rails/index.ts'
import { type Tier, tiers } from '#domain/rails/rail.ts'
import { reportFiles } from '#domain/rails/report/report.ts'
import { delivered, oversize, priorityOf } from '#domain/rails/tiers.ts'
import { validateWork } from '../../../../activities/run/validation.ts'
import { workInTier } from '../../../../activities/run/work-in-tier.ts'
import { workOnInput } from '../../../../activities/run/work-on-rows.ts'
import { assertReadable } from '../../../../api/services/tasks/asked-input.ts'
import { verifies } from '../../../verifies.ts'

/** An input that names no uploads. */
const inline = { sources: {}, extractions: [] }

const runOf = (rail: (typeof rails)[number], tier: Tier) => ({
  run_id: 'run_1',
  rail: rail.key,
  tier,
  usage: 'operational',
  partial: false,
  input_sha256: 'a'.repeat(64),
  result_sha256: 'b'.repeat(64),
})

for (const rail of rails)
  verifies('tiers.deliver', `${rail.key} delivers by tier, and the validator knows`, async () => {
    const value = rail.sandboxInput
    const made: Record<string, string[]> = {}
    for (const tier of tiers) {
      const work = await workInTier(rail, { tier, value }, inline)
      const { leaves_out, report_formats } = rail.tiers[tier]
      const members = Object.keys(work.result as object)
      for (const name of leaves_out) expect(members).not.toContain(name)
      const isLess = work.findings.some(({ code }) => code === 'not_in_tier')
      expect(isLess).toBe(leaves_out.length > 0)
      const again = (see: Parameters<typeof workOnInput>[3]) =>
        workOnInput(rail, value, inline, see)
      const checks = await validateWork({ rail, tier, value, lists: [], again }, work)
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      const files = Object.keys(reportFiles(runOf(rail, tier), work))
      expect(files).toEqual(expect.arrayContaining(['report.html', 'README.md']))
      for (const format of ['csv', 'jsonl'] as const)
        expect(files.some((name) => name.endsWith(`.${format}`))).toBe(
          report_formats.includes(format),
        )
      made[tier] = members
    }
    const { entry, standard, pro } = rail.tiers
    expect(entry.leaves_out.length, rail.key).toBeGreaterThan(0)
    expect(made['standard']).toEqual(expect.arrayContaining(entry.leaves_out))
    expect(pro.reruns_max).toBeGreaterThan(standard.reruns_max)
    expect(entry.reruns_max).toBeLessThan(standard.reruns_max)
    expect([entry, standard, pro].map(({ turnaround_hours }) => turnaround_hours)).toEqual([
      24, 8, 2,
    ])
  })

verifies('tiers.deliver', 'the whole result is refused where its tier has less', async () => {
  for (const rail of rails) {
    const value = rail.sandboxInput
    const again = (see: Parameters<typeof workOnInput>[3]) => workOnInput(rail, value, inline, see)
    const whole = rail.work(value as never)
    const checks = await validateWork({ rail, tier: 'entry', value, lists: [], again }, whole)
    const failed = checks.flatMap(({ check, ok }) => (ok ? [] : [check]))
    expect(failed, rail.key).toEqual(expect.arrayContaining(['result_fits', 'same_again']))
    const { result } = delivered(rail, 'entry', whole)
    expect(Object.keys(result as object).length).toBeLessThan(
      Object.keys(whole.result as object).length,
    )
  }
})

verifies('tiers.limits', 'each rail refuses an input that its tier does not take', () => {
  for (const rail of rails) {
    const { rows_max, bytes_max } = rail.tiers.entry
    expect(oversize(rail, 'entry', { input: {}, bytes: bytes_max })).toBeNull()
    expect(oversize(rail, 'entry', { input: {}, bytes: bytes_max + 1 })?.message).toContain('bytes')
    if (rows_max === null) continue
    const [list = ''] = rail.counted ?? Object.keys(rail.rows?.lists ?? {})
    const most = { input: { [list]: Array(rows_max).fill({}) } }
    expect(oversize(rail, 'entry', most)).toBeNull()
    expect(oversize(rail, 'entry', { ...most, uploadedRows: 1 })?.pointer).toBe(`/${list}`)
    const refused = () =>
      assertReadable(rail.key, 'entry', { [list]: Array(rows_max + 1).fill({}) })
    expect(refused).toThrow(DomainError)
    try {
      refused()
    } catch (error) {
      const { faults } = (error as DomainError).refusal.extra as { faults: { groups: object[] } }
      expect(JSON.stringify(faults.groups), rail.key).toContain(`takes at most ${rows_max} rows`)
    }
  }
})

verifies('tiers.order', 'work of a higher tier has the more urgent priority', () => {
  expect(tiers.map(priorityOf)).toEqual([4, 3, 2])
})
