import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { StateTable } from '#domain/core/state-table.ts'
import { movesOtherwise, oneOf, refusal } from '../../../activities/store/migrations/columns.ts'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import { startPostgres } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
let open: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgres()
  open = createDatabase({ url: postgres.url, applicationName: 'test' })
})
afterAll(async () => {
  await open?.close()
  await postgres?.stop()
})

const states = ['begun', 'held', 'done', 'void'] as const
type State = (typeof states)[number]
const state = fc.constantFrom(...states)
const events = fc.dictionary(fc.constantFrom('hold', 'end', 'stop'), state, { maxKeys: 3 })
const anyTable: fc.Arbitrary<StateTable<State, string>> = fc.record({
  begun: events,
  held: events,
  done: events,
  void: events,
})

verifies('store.state-moves', 'SQL allows the moves of any table and no others', async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async (table) => {
      await sql`drop table if exists records`.execute(open.db)
      for (const statement of [
        `create table records (state text not null ${oneOf('state', states)})`,
        `create or replace function records_guard() returns trigger language plpgsql as $$
          begin ${refusal(movesOtherwise('state', table), 'no such move')} return new; end $$`,
        `create trigger records_guard before update on records for each row execute function records_guard()`,
      ])
        await sql.raw(statement).execute(open.db)
      for (const from of states)
        for (const to of states) {
          await sql`truncate records`.execute(open.db)
          await sql`insert into records values (${from})`.execute(open.db)
          const moved = await sql`update records set state = ${to}`.execute(open.db).then(
            () => true,
            () => false,
          )
          const declared = to === from || Object.values(table[from]).includes(to)
          expect([from, to, moved]).toEqual([from, to, declared])
        }
      await expect(sql`insert into records values ('other')`.execute(open.db)).rejects.toThrow()
    }),
    { numRuns: 20 },
  )
})
