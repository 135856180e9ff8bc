import { expect } from 'vitest'
import type { Gap } from '#domain/rails/rail.ts'
import {
  asksForEvidence,
  classify,
  gapsInBrief,
  revisionAfter,
} from '#domain/runs/fault-classes.ts'
import { verifies } from '../../../verifies.ts'

const gap = (code: string, kind: Gap['kind']): Gap => ({
  code,
  kind,
  detail: '',
  pointer: '/items',
  filled_by: 'an item',
  citations: [],
})
const fault = (check: string) => ({ check, ok: false, detail: '' })

verifies('loop.exceptions.classes', 'faults and gaps have classes with a next action each', () => {
  const faults = [fault('root_recomputed'), fault('result_repeated'), fault('citations_stand')]
  const gaps = [gap('undated', 'needed'), gap('no_period', 'advisory'), gap('undated', 'needed')]
  expect(classify(faults, gaps)).toEqual([
    { class: 'not_repeatable', next: 'revise', codes: ['result_repeated'] },
    { class: 'not_cited', next: 'revise', codes: ['citations_stand'] },
    { class: 'not_confirmed', next: 'revise', codes: ['root_recomputed'] },
    { class: 'needed_gap', next: 'supply_evidence', codes: ['undated'] },
    { class: 'advisory_gap', next: 'deliver', codes: ['no_period'] },
  ])
  expect(classify([fault('result_fits')], [])).toMatchObject([{ class: 'malformed' }])
  expect(classify([], [])).toEqual([])
})

verifies('loop.gaps.bounded', 'an exception step keeps the first gaps, needed ones first', () => {
  const many = Array.from({ length: 60 }, (_, at) => gap(`g${at}`, 'advisory'))
  const brief = gapsInBrief([...many, gap('undated', 'needed')])
  expect(brief).toMatchObject({ needed: 1, advisory: 60 })
  expect(brief.first.map(({ code }) => code)).toEqual([
    'undated',
    ...many.slice(0, 24).map(({ code }) => code),
  ])
})

verifies('loop.revision.changes', 'the revision ends once another pass changed nothing', () => {
  const pass = { work_sha256: 'a', checks: ['root_recomputed'] }
  expect(revisionAfter(pass, undefined)).toBe('revise')
  expect(revisionAfter(pass, { ...pass, work_sha256: 'b' })).toBe('revise')
  expect(revisionAfter(pass, { ...pass, checks: ['score_adds_up'] })).toBe('revise')
  expect(revisionAfter(pass, { ...pass })).toBe('refused')
})

verifies('gaps.needed-stop', 'only a needed gap of sound work stops a run that asks', () => {
  const gaps = [gap('no_period', 'advisory'), gap('undated', 'needed')]
  const ask = { onGaps: 'ask', isWaived: false } as const
  expect(asksForEvidence({ gaps, faults: [] }, ask)).toBe(true)
  expect(asksForEvidence({ gaps: gaps.slice(0, 1), faults: [] }, ask)).toBe(false)
  expect(asksForEvidence({ gaps, faults: [fault('result_repeated')] }, ask)).toBe(false)
  expect(asksForEvidence({ gaps, faults: [] }, { ...ask, isWaived: true })).toBe(false)
  expect(asksForEvidence({ gaps, faults: [] }, { ...ask, onGaps: 'report' })).toBe(false)
})
