import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ControlScope } from '#domain/payouts/controls.ts'
import { listPauses, lockSwitches } from '../../../../activities/store/operators/controls.ts'
import { readPayoutConstraints } from '../../../../activities/store/payouts/constraints.ts'
import { lockDailyCap } from '../../../../activities/store/payouts/transfers.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { setPause as set, until, waiting } from '../../../support/pauses.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const newPayout = () => ({
  creator: `0x${hex(20)}`,
  payout_wallet: `0x${hex(20)}`,
  payout_id: `po_${hex(32)}`,
})

verifies(
  'switches.scopes',
  'a payout is paused until every pause that covers it is lifted',
  async () => {
    const [payout, other] = [newPayout(), newPayout()]
    const covers: [ControlScope, string, boolean][] = [
      ['service', '', true],
      ['payouts', '', true],
      ['wallet', payout.creator, false],
      ['wallet', payout.payout_wallet, false],
      ['payout', payout.payout_id, false],
    ]
    const found = async (of: typeof payout) =>
      (await readPayoutConstraints(database.db, of.payout_id, of)).pause !== undefined
    for (const [scope, target, everybody] of covers) {
      await set(database.db, scope, target, true)
      expect([await found(payout), await found(other)], scope).toEqual([true, everybody])
      await set(database.db, scope, target, false)
      expect([await found(payout), await found(other)], scope).toEqual([false, false])
    }
    for (const [scope, target] of covers) await set(database.db, scope, target, true)
    const listed = await listPauses(database.db)
    expect(listed.map(({ scope }) => scope)).toEqual([
      'service',
      'payouts',
      'wallet',
      'wallet',
      'payout',
    ])
    for (const [index, [scope, target]] of covers.entries()) {
      expect(await found(payout), `${index} left`).toBe(true)
      await set(database.db, scope, target, false)
    }
    expect(await found(payout)).toBe(false)
  },
)

verifies(
  'switches.ordered',
  'a pause waits for a running reservation, and the next one sees it',
  async () => {
    const order: string[] = []
    const reserve = (name: string, payout: ReturnType<typeof newPayout>, hold?: Promise<void>) =>
      transaction(database.db, async (tx) => {
        await lockDailyCap(tx, { wallet: payout.payout_wallet })
        const { pause } = await readPayoutConstraints(tx, payout.payout_id, payout)
        if (hold !== undefined) order.push(`${name} looked`)
        await hold
        order.push(`${name} ${pause === undefined ? 'reserved' : 'refused'}`)
      })
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = reserve('first', newPayout(), held)
    await until(() => order.length > 0)
    const pausing = transaction(database.db, async (tx) => {
      await lockSwitches(tx)
      order.push('paused')
      await set(tx, 'payouts', '', true)
    })
    let second: Promise<void> | undefined
    try {
      await until(async () => (await waiting(database.db)) === 1)
      second = reserve('second', newPayout())
      await until(async () => (await waiting(database.db)) === 2)
    } finally {
      release()
      await Promise.all([first, pausing, second])
    }
    expect(order).toEqual(['first looked', 'first reserved', 'paused', 'second refused'])
    await set(database.db, 'payouts', '', false)
  },
)

verifies(
  'switches.append-only',
  'SQL neither changes nor deletes the history of a control',
  async () => {
    await set(database.db, 'service', '', false)
    for (const statement of [
      "update control_changes set reason = 'other'",
      'delete from control_changes',
    ])
      await expect(sql.raw(statement).execute(database.db), statement).rejects.toMatchObject({
        code: '23514',
      })
  },
)
