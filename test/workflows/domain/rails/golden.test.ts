import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { verifies } from '../../../verifies.ts'
import { goldenInputs } from './golden.ts'

const file = join(import.meta.dirname, 'golden.json')
type Golden = Record<string, { input: string; work: string }[]>

verifies(
  'isolation.golden',
  'accepted inputs of every rail give the work that was recorded for them',
  () => {
    const now: Golden = {}
    for (const rail of rails) {
      now[rail.key] = goldenInputs(rail).map((value) => ({
        input: digestOf(value),
        work: digestOf(rail.work(value)),
      }))
      expect(now[rail.key]?.length, rail.key).toBeGreaterThan(40)
    }
    if (process.env['RECORD_GOLDEN'] === '1')
      writeFileSync(file, `${JSON.stringify(now, null, 1)}\n`)
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as Golden
    for (const { key } of rails) {
      expect(
        now[key]?.map(({ input }) => input),
        key,
      ).toEqual(recorded[key]?.map(({ input }) => input))
      expect(now[key], key).toEqual(recorded[key])
    }
  },
)
