import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { createChanges } from '../../../../activities/store/postgres/changes.ts'
import { PayoutService } from '../../../../api/services/payouts/payouts.ts'
import { insertAuthorizedPayout, insertReservedTransfer } from '../../../support/payout-rows.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
let changes: ReturnType<typeof createChanges>
beforeAll(async () => {
  database = await startDatabase()
  changes = createChanges(database.url)
})
afterAll(async () => {
  await changes?.close()
  await database?.stop()
})

const hex = (digits: number) => randomBytes(digits / 2).toString('hex')

verifies('recovery.joins', 'only a joined transfer that stands still is woken', async () => {
  const { db } = database
  const woken: string[] = []
  const service = new PayoutService({
    db,
    changes,
    // A call that joins sends nothing.
    gateway: undefined as never,
    environment: 'local',
    executeWaitMs: 0,
    executeLifeSecondsMin: 0,
    refusedRecipients: new Set(),
    chainUp: async () => true,
    wake: async (payoutId) => void woken.push(payoutId),
    reservationGate: undefined,
  })
  const payout_id = `po_${hex(64)}`
  const creator = `0x${hex(40)}`
  const terms = { recipient: `0x${hex(40)}`, amount_atomic: '1', memo: 'm', rail_reference: 'r' }
  const accounts = { asset: `0x${hex(40)}`, payout_wallet: `0x${hex(40)}` }
  const facts = { usage: 'synthetic', terms_sha256: hex(64), idempotency_key: 'k' } as const
  await insertAuthorizedPayout(
    db,
    { payout_id, creator, ...terms, ...accounts, ...facts },
    4_102_444_800,
  )
  await insertReservedTransfer(db, payout_id)
  const join = () => service.execute(creator, payout_id, { callId: 'c', leads: false })
  expect(await join()).toMatchObject({ payout: { money_moved: 'unknown' } })
  expect(woken).toEqual([])
  await sql`alter table transfers disable trigger transfers_guard`.execute(db)
  await sql`update transfers set reserved_at = clock_timestamp() - interval '3 seconds'`.execute(db)
  await join()
  expect(woken).toEqual([payout_id])
})
