import { expect } from 'vitest'
import { DiligenceInput, diligenceops } from '#domain/rails/diligenceops/index.ts'
import { exampleOf } from '../../api/examples/index.ts'
import { verifies } from '../verifies.ts'

verifies('diligenceops.answers', 'the published example of its loop is answered', () => {
  const { input } = exampleOf({ id: 'diligence-loop-start' }).input
  const { result, gaps } = diligenceops.work(DiligenceInput.parse(input))
  expect(result).toMatchObject({ unanswered: [], coverage: { percent: 100 } })
  expect(gaps).toEqual([])
})
