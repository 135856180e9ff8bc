import { expect } from 'vitest'
import { rails } from '#domain/rails/index.ts'
import { isNeeded } from '#domain/rails/work/work.ts'
import { verifies } from '../../../verifies.ts'

verifies('sandbox.gaps', 'the sample for missing evidence of each rail has gaps', () => {
  for (const { key, takes, inputWithGaps, sandboxInput, input, work } of rails) {
    if (takes.controlledLoop !== 'current') continue
    const sample = input.parse(inputWithGaps ?? sandboxInput)
    expect(work(sample).gaps.filter(isNeeded).length, key).toBeGreaterThan(0)
    if (inputWithGaps !== undefined)
      expect(work(sandboxInput).gaps.filter(isNeeded), key).toEqual([])
  }
})
