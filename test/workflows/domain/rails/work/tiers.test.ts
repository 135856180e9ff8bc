import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { diligenceopsInput } from '#domain/rails/diligenceops/index.ts'
import { distributionopsInput } from '#domain/rails/distributionops/index.ts'
import { energyopsInput } from '#domain/rails/energyops/index.ts'
import { rails } from '#domain/rails/index.ts'
import { packetopsInput } from '#domain/rails/packetops/index.ts'
import { type RailKey, type Tier, tiers } from '#domain/rails/rail.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { tokenopsInput } from '#domain/rails/tokenops/index.ts'
import { completed, delivered, oversize, priorityOf } from '#domain/rails/work/tiers.ts'
import { validateWork } from '../../../../../activities/runs/validation.ts'
import { workInTier } from '../../../../../activities/runs/work-in-tier.ts'
import { workOnInput } from '../../../../../activities/runs/work-on-rows.ts'
import { assertReadable } from '../../../../../api/services/inputs/asked-input.ts'
import { verifies } from '../../../../verifies.ts'

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
      const files = Object.keys(reportOf(runOf(rail, tier), work))
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

/** The sandbox input of each rail, with what makes the findings and gaps that its entry tier leaves out. */
const leftOut: Partial<Record<RailKey, { input: unknown; codes: string[]; words: string[] }>> = {
  diligenceops: {
    input: diligenceopsInput,
    codes: ['conflict_duration'],
    words: ['retained for 35 days'],
  },
  packetops: {
    input: {
      ...packetopsInput,
      items: [
        ...packetopsInput.items,
        {
          name: 'retention-30.json',
          section: 'logical_access',
          content: '{"system":"core","retention_days":30,"owner":"M. Sato"}',
          issued_at: '2026-06-12',
        },
        {
          name: 'retention-60.json',
          section: 'logical_access',
          content: '{"system":"core","retention_days":60,"owner":"M. Sato"}',
          issued_at: '2026-06-12',
        },
        {
          name: 'sample.txt',
          section: 'logical_access',
          content: 'a sample in words',
          issued_at: '2026-06-12',
          sample_of: 'all accounts.csv',
        },
      ],
    },
    codes: ['contradicted', 'duplicate_content', 'population_missing', 'sample_not_a_table'],
    words: ['says 30', 'all accounts.csv”, is not'],
  },
  energyops: { input: energyopsInput, codes: ['clock_changes'], words: [] },
  tokenops: { input: tokenopsInput, codes: ['too_few_rows'], words: [] },
  distributionops: { input: distributionopsInput, codes: ['repeated_rows'], words: [] },
  contractops: {
    input: { text: 'This Agreement is made on 1 May 2026.' },
    codes: ['obligations_not_found'],
    words: [],
  },
}

for (const rail of rails) {
  const asked = leftOut[rail.key]
  if (asked === undefined) continue
  verifies('tiers.deliver', `${rail.key} shows nothing of what entry leaves out`, async () => {
    const { input: value, codes, words } = asked
    const whole = rail.work(value as never)
    const codesOf = ({ findings, gaps }: typeof whole) =>
      [...findings, ...gaps].map(({ code }) => code)
    expect(codesOf(whole)).toEqual(expect.arrayContaining(codes))
    const notesOf = ({ findings, gaps }: typeof whole) => JSON.stringify([findings, gaps])
    for (const said of words) expect(notesOf(whole)).toContain(said)
    const work = await workInTier(rail, { tier: 'entry', value }, inline)
    const { leaves_out_codes } = rail.tiers.entry
    expect(codesOf(work).filter((code) => leaves_out_codes.includes(code))).toEqual([])
    for (const said of words) expect(notesOf(work)).not.toContain(said)
    const again = (see: Parameters<typeof workOnInput>[3]) => workOnInput(rail, value, inline, see)
    const checks = await validateWork({ rail, tier: 'entry', value, lists: [], again }, work)
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    const full = completed(rail, 'entry', { work, whole })
    expect(codesOf(full)).toEqual(expect.arrayContaining(codes))
    expect(full.result).toEqual(whole.result)
  })
}

verifies('tiers.deliver', 'a needed gap is delivered in every tier', () => {
  for (const rail of rails) {
    const { leaves_out_codes } = rail.tiers.entry
    const gaps = leaves_out_codes.flatMap((code) =>
      (['needed', 'advisory'] as const).map((kind) => ({
        code,
        kind,
        detail: '',
        pointer: '',
        filled_by: '',
        citations: [],
      })),
    )
    const work = delivered(rail, 'entry', { result: {}, findings: [], gaps })
    expect(work.gaps.map(({ kind }) => kind)).toEqual(leaves_out_codes.map(() => 'needed'))
    for (const code of leaves_out_codes) expect(rail.gapRules[code]?.kind).not.toBe('needed')
  }
})

verifies('tiers.deliver', 'the whole result is refused where its tier has less', async () => {
  for (const rail of rails) {
    const value = rail.sandboxInput
    const again = (see: Parameters<typeof workOnInput>[3]) => workOnInput(rail, value, inline, see)
    const whole = rail.work(value as never)
    const checks = await validateWork({ rail, tier: 'entry', value, lists: [], again }, whole)
    const failed = checks.flatMap(({ check, ok }) => (ok ? [] : [check]))
    expect(failed, rail.key).toEqual(expect.arrayContaining(['result_fits', 'result_repeated']))
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
