import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { PacketInput, packetops } from '#domain/rails/packetops/index.ts'
import { verifies } from '../../verifies.ts'
import { expectCited } from '../../workflows/domain/rails/citations.ts'

type Case = { input: unknown; truth: Record<string, unknown> }
const PACKETS = 300

const cases = JSON.parse(
  execFileSync('python3', [join(import.meta.dirname, 'packetops.py'), '0', String(PACKETS)], {
    encoding: 'utf8',
    maxBuffer: 256_000_000,
  }),
) as Case[]

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

function found(input: PacketInput) {
  const { result } = packetops.work(input)
  return {
    readings: result.manifest
      .map((one) => [one.section, one.name, one.reading, one.points, one.superseded_by])
      .sort(byText),
    weaknesses: result.weaknesses
      .map((one) => [one.section, one.name, one.code, one.about, one.rows])
      .sort(byText),
    coverage: Object.fromEntries(
      result.section_coverage
        .filter(({ required }) => required)
        .map(({ section, state, points }) => [section, [state, points]]),
    ),
    score: result.readiness.score,
    complete: result.complete,
    samples: result.samples
      .map(({ sample, population_size, sample_size, needed, strangers, state }) => ({
        sample,
        population_size,
        sample_size,
        needed,
        strangers,
        state,
      }))
      .sort(byText),
    contradictions: result.contradictions
      .map(({ about, sides }) => ({
        about,
        values: sides.map(({ value, name }) => [value, name]).sort(byText),
      }))
      .sort(byText),
  }
}

verifies('packetops.judge', 'planted faults of 300 packets are found exactly', () => {
  expect(cases).toHaveLength(PACKETS)
  const sorted = (list: unknown) => (list as unknown[]).toSorted(byText)
  for (const [index, { input, truth }] of cases.entries())
    expect(found(PacketInput.parse(input)), `packet ${index}`).toEqual({
      ...truth,
      readings: sorted(truth['readings']),
      weaknesses: sorted(truth['weaknesses']),
      samples: sorted(truth['samples']),
      contradictions: sorted(truth['contradictions']),
    })
})

verifies('rails.citations', 'each quote of a planted packet stands at its place', () => {
  for (const { input } of cases.slice(0, 60)) {
    const packet = PacketInput.parse(input)
    expectCited(packet, packetops.work(packet))
  }
})
