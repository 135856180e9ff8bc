import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { storeInput } from '../../../../activities/runs/stored-input.ts'
import {
  beginUploadCheck,
  type CheckBounds,
  dropUploadCheck,
} from '../../../../activities/store/inputs/upload-checks.ts'
import { forgetReadings, waitMs } from '../../../../activities/store/inputs/upload-readings.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

const HOUR_MS = 3_600_000
let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

/** An owner with uploads of ten bytes each. */
async function uploads(count: number): Promise<{ owner: string; digests: string[] }> {
  const owner = `agt_${randomBytes(8).toString('hex')}`
  const digests: string[] = []
  for (let at = 0; at < count; at += 1) {
    const bytes = Buffer.from(`at,model\n${at}`)
    const sha256 = sha256Hex(bytes.toString())
    async function* stream() {
      yield bytes
    }
    await storeInput(database.db, { owner, sha256 }, 'text/csv', stream(), {
      bytesMax: 1e9,
      owner: { bytesMax: 1e9, uploadsMax: 4, sandbox: false, allBytesMax: 1e12 },
    })
    digests.push(sha256)
  }
  return { owner, digests }
}

const begin = (owner: string, sha256: string, perDay: CheckBounds['perDay'], list = 'usage') => {
  const asked = { owner, sha256, rail: 'tokenops', list, corrections: {}, sheet: null } as const
  return beginUploadCheck(database.db, asked, { openMax: 100, perDay })
}

verifies('input.readings', 'parallel calls begin exactly the allowed readings', async () => {
  const { owner, digests } = await uploads(12)
  for (const [perDay, most] of [
    [{ readings: 5, bytes: 1e9 }, 5],
    [{ readings: 100, bytes: 79 }, 7],
  ] as const) {
    const answers = await Promise.all(digests.map((sha256) => begin(owner, sha256, perDay)))
    const begun = answers.filter((answer) => 'check_id' in answer)
    expect(begun).toHaveLength(most)
    for (const answer of answers)
      if ('refused' in answer)
        expect(answer).toEqual({ refused: 'too_many_today', waitMs: expect.any(Number) })
    // A known reading is free, and one that was not begun frees its place.
    const [first] = begun
    if (first === undefined) throw new Error('none was begun')
    expect(await begin(owner, first.sha256, perDay)).toEqual(first)
  }
})

verifies('input.readings', 'a deleted upload frees no reading, a dropped one does', async () => {
  const { owner, digests } = await uploads(3)
  const perDay = { readings: 2, bytes: 1e9 }
  const [one = '', other = '', third = ''] = digests
  const begun = await begin(owner, one, perDay)
  await begin(owner, other, perDay)
  await sql`delete from agent_inputs where owner = ${owner} and sha256 = ${other}`.execute(
    database.db,
  )
  expect(await begin(owner, third, perDay)).toMatchObject({ refused: 'too_many_today' })
  if (!('check_id' in begun)) throw new Error('it was not begun')
  await dropUploadCheck(database.db, begun.check_id)
  expect(await begin(owner, third, perDay)).toMatchObject({ sha256: third })
  const age = (hours: number) =>
    sql`update upload_readings set began_at = began_at - ${`${hours} hours`}::interval where owner = ${owner}`.execute(
      database.db,
    )
  await age(23)
  const late = await begin(owner, one, perDay)
  if (!('waitMs' in late)) throw new Error('it was begun')
  expect(late.waitMs).toBeLessThanOrEqual(HOUR_MS)
  expect(late.waitMs).toBeGreaterThan(HOUR_MS - 60_000)
  await age(2)
  expect(await begin(owner, one, perDay)).toMatchObject({ sha256: one })
  await forgetReadings(database.db)
  const kept = database.db.selectFrom('upload_readings').selectAll().where('owner', '=', owner)
  expect(await kept.execute()).toHaveLength(1)
})

verifies('input.readings', 'the wait lasts until enough readings are a day old', () => {
  const past = [20, 10, 5].map((hours) => ({ bytes: 100, ageMs: hours * HOUR_MS }))
  expect(waitMs(past, 100, { readings: 4, bytes: 400 })).toBe(0)
  expect(waitMs(past, 100, { readings: 3, bytes: 400 })).toBe(4 * HOUR_MS)
  expect(waitMs(past, 200, { readings: 9, bytes: 300 })).toBe(14 * HOUR_MS)
  expect(waitMs(past, 301, { readings: 9, bytes: 300 })).toBe(24 * HOUR_MS)
})
