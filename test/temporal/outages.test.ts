import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { createDatabase, transaction } from '../../activities/store/postgres/db.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { provideInput } from '../../api/services/tasks/input.ts'
import { quietRuntime } from '../support/quiet.ts'
import { verifies } from '../verifies.ts'
import { timing } from './short-timing.ts'
import { startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  fixture = await startTaskWorkflows({}, { timing: 'short-timing.ts' })
})
afterAll(() => fixture?.stop())

verifies(
  'run.outages',
  'a run continues after more refused connections than it has attempts',
  async () => {
    const { tasks, db } = fixture
    const role = `guest_${randomBytes(4).toString('hex')}`
    await sql.raw(`create role ${role} login password 'guest' connection limit 0`).execute(db)
    const url = new URL(tasks.url)
    url.username = role
    url.password = 'guest'
    const full = createDatabase({ url: url.href, applicationName: 'test', poolSize: 1 })
    let refused = 0
    await fixture.serve({
      takeStep: async (input) => {
        refused += 1
        await sql`select 1`.execute(full.db)
        refused -= 1
        return fixture.real.takeStep(input)
      },
    })
    const { task_id } = await tasks.taskIn('credit_funded', { callback_url: null })
    await transaction(db, (tx) => provideInput(tx, task_id, packetops.sandboxInput))
    await fixture.gateway.wake(task_id)
    await expect.poll(() => refused).toBeGreaterThan(2 * timing.run.attempts)
    expect((await findTask(db, task_id))?.state).toBe('operating')

    await sql.raw(`alter role ${role} connection limit 10`).execute(db)
    await expect.poll(async () => (await findTask(db, task_id))?.state).toBe('attested')
    await fixture.replay(task_id)
    await full.close()
    await sql.raw(`drop role ${role}`).execute(db)
  },
)
