import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { rails } from '#domain/rails/index.ts'
import { verifies } from '../../../verifies.ts'
import { type Golden, goldenOf } from './golden.ts'

const made = rails.map((rail) => {
  const file = join(import.meta.dirname, rail.key, 'golden.json')
  const now = goldenOf(rail)
  if (process.env['RECORD_GOLDEN'] === '1') writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`)
  return { key: rail.key, now, recorded: JSON.parse(readFileSync(file, 'utf8')) as Golden }
})

verifies(
  'isolation.golden',
  'accepted inputs of every rail give the work that was recorded for them',
  () => {
    for (const { key, now, recorded } of made) {
      const inputsOf = ({ works }: Golden) => works.map(({ input }) => input)
      expect(now.works.length, key).toBeGreaterThan(40)
      expect(inputsOf(now), key).toEqual(inputsOf(recorded))
      expect(now.works, key).toEqual(recorded.works)
    }
  },
)

// Packages name the digests of their report: once one was released, other bytes are another version, which is recorded next to
// the earlier one. Until the first release an intended change is recorded again.
verifies('package.built', 'reports of version 1 keep their bytes', () => {
  for (const { key, now, recorded } of made) expect(now.report, key).toBe(recorded.report)
})
