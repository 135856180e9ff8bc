import { expect } from 'vitest'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { verifies } from '../../verifies.ts'
import { type Pair, pairsOf } from './diligenceops/pairs.ts'

type Outcome = 'right' | 'wrong' | 'missed' | 'invented' | 'refused'

function judge({ document, question, answer, verdict }: Pair): Outcome {
  const evidence = [document]
  const { result } = diligenceops.work({ questions: [{ id: 'q', text: question }], evidence })
  const given = result.answers[0]
  if (given?.answer === null || given === undefined) return answer === null ? 'refused' : 'missed'
  if (answer === null) return 'invented'
  return given.answer === answer && given.verdict === verdict ? 'right' : 'wrong'
}

function tally(pairs: Pair[]) {
  const counts = { right: 0, wrong: 0, missed: 0, invented: 0, refused: 0 }
  for (const pair of pairs) counts[judge(pair)] += 1
  return counts
}

verifies('diligenceops.calibration', 'the published pairs are enough, and well formed', () => {
  const [frozen, tuning] = [pairsOf('frozen'), pairsOf('tuning')]
  expect(frozen.length + tuning.length).toBeGreaterThanOrEqual(200)
  expect(frozen.length).toBeGreaterThanOrEqual(100)
  for (const half of [frozen, tuning]) {
    expect(new Set(half.map(({ domain, language }) => `${domain} ${language}`)).size).toBe(6)
    for (const { answer, verdict, question } of half) {
      expect(answer === null, question).toBe(verdict === '-')
      expect(answer, question).not.toBe('')
    }
  }
})

verifies('diligenceops.calibration', 'on the frozen half few are missed and none invented', () => {
  const { right, wrong, missed, invented, refused } = tally(pairsOf('frozen'))
  expect(right + wrong + missed).toBe(81)
  expect(invented).toBe(0)
  expect(refused).toBe(31)
  expect((right + wrong) / (right + wrong + missed)).toBeGreaterThanOrEqual(0.7)
  expect(wrong / (right + wrong)).toBeLessThanOrEqual(0.01)
})
