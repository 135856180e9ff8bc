import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  CHANGES_CHANNEL,
  type Changes,
  createChanges,
} from '../../../../activities/store/postgres/changes.ts'
import { createDatabase, type OpenDatabase } from '../../../../activities/store/postgres/db.ts'
import { startDatabase, type TestDatabase, urlAs } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
let reader: OpenDatabase
let changes: Changes

beforeAll(async () => {
  database = await startDatabase()
  reader = createDatabase({
    url: urlAs('reader', database.url),
    applicationName: 'thief',
    poolSize: 1,
  })
  changes = createChanges(database.url, 60_000)
})
afterAll(async () => {
  await changes?.close()
  await reader?.close()
  await database?.stop()
})

const notify = (payload: string) =>
  sql`select pg_notify(${CHANGES_CHANNEL}, ${payload})`.execute(reader.db)

verifies('signer.notices', 'no notification of another role ends a listener', async () => {
  const heard: string[] = []
  changes.subscribe((id) => heard.push(id))
  const hostile = [
    'error',
    'newListener',
    'removeListener',
    '__proto__',
    'constructor',
    '',
    ' ',
    'id:call_1',
    'call_1 200 {"state":"executed"}',
    '\u2028'.repeat(2_000),
    'x'.repeat(7_999),
  ]
  // The listener may still be connecting, so a text is repeated until it is heard.
  while (!heard.includes('first')) {
    await notify('first')
    await changes.wait('first', 200)
  }
  for (const payload of hostile) await notify(payload)
  const last = changes.wait('last', 60_000)
  await notify('last')
  expect(await last).toBe(true)
  expect(new Set(heard)).toEqual(
    new Set([
      'first',
      'error',
      'newListener',
      'removeListener',
      '__proto__',
      'constructor',
      'last',
    ]),
  )
})
