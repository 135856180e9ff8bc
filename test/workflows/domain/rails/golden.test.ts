import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { verifies } from '../../../verifies.ts'
import { goldenInputs } from './golden.ts'

type Golden = { input: string; work: string }[]

verifies(
  'isolation.golden',
  'accepted inputs of every rail give the work that was recorded for them',
  () => {
    for (const rail of rails) {
      const file = join(import.meta.dirname, rail.key, 'golden.json')
      const now: Golden = goldenInputs(rail).map((value) => ({
        input: digestOf(value),
        work: digestOf(rail.work(value)),
      }))
      expect(now.length, rail.key).toBeGreaterThan(40)
      if (process.env['RECORD_GOLDEN'] === '1')
        writeFileSync(file, `${JSON.stringify(now, null, 1)}\n`)
      const recorded = JSON.parse(readFileSync(file, 'utf8')) as Golden
      expect(
        now.map(({ input }) => input),
        rail.key,
      ).toEqual(recorded.map(({ input }) => input))
      expect(now, rail.key).toEqual(recorded)
    }
  },
)
