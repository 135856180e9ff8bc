import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { creditAccount, pairLegs } from '#domain/credit/credit.ts'
import { consumeCredit, refundReference } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { returnUnused } from '../../../activities/credit/returns.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { listMovements, readBalance } from '../../../activities/store/credit/postings.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { patiently } from '../../support/postgres.ts'
import { brokenAt, listUsageEvents } from '../../support/usage-chain.ts'
import { verifies } from '../../verifies.ts'
import { funded, operator, quoted, refusal, startMoney } from './fixture.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

const at = new Date('2026-11-21T10:00:00Z')
const use = (entitlementId: string, key: string, units: number) =>
  transaction(deps.db, (tx) =>
    consumeCredit(deps, tx, { entitlementId, key, units, kind: 'run_usage', occurredAt: at }),
  )
const giveBack = (entitlementId: string) =>
  transaction(deps.db, (tx) => returnUnused(deps, tx, entitlementId))
const refundOf = (referenceId: string) =>
  transaction(deps.db, (tx) =>
    refundReference(deps, tx, { referenceId, decidedBy: operator, reason: 'charged back' }),
  )
const sumOf = async () => {
  const { rows } = await sql<{
    sum: string
  }>`select coalesce(sum(units), 0)::text as sum from postings`.execute(deps.db)
  return rows[0]?.sum
}

verifies(
  'money.consume',
  'a usage receipt consumes once, whichever caller repeats it',
  async () => {
    const { entitlement } = await funded(deps)
    const id = entitlement.entitlement_id
    const first = await use(id, 'run_1', 107)
    const repeats = await Promise.all(Array.from({ length: 10 }, () => use(id, 'run_1', 107)))
    expect(repeats).toEqual(Array(10).fill(first))
    expect(await findEntitlement(deps.db, id)).toMatchObject({
      state: 'consumed',
      consumed_units: 107,
    })
    const [usage] = await listReceipts(deps.db, first.event_id)
    expect(usage).toMatchObject({ kind: 'usage_receipt', receipt_id: first.usage_receipt_id })
    await expect(use(id, 'run_1', 106)).rejects.toMatchObject(refusal('idempotency_conflict'))
    await expect(use(id, 'run_2', 1)).rejects.toMatchObject(refusal('credit_exhausted'))
  },
)

verifies(
  'money.consume',
  '100 parallel consumers never take more than the entitlement holds',
  async () => {
    const { entitlement } = await funded(deps)
    const id = entitlement.entitlement_id
    const attempts = Array.from({ length: 100 }, (_, index) =>
      patiently(() => use(id, `run_${index}`, 1 + (index % 3))),
    )
    const done = await Promise.allSettled(attempts)
    const taken = done.flatMap((one) =>
      one.status === 'fulfilled' ? [one.value.credit_units] : [],
    )
    for (const one of done)
      if (one.status === 'rejected') expect(one.reason).toMatchObject(refusal('credit_exhausted'))
    const consumed = taken.reduce((sum, units) => sum + units, 0)
    const row = await findEntitlement(deps.db, id)
    expect(row?.consumed_units).toBe(consumed)
    expect(consumed).toBeGreaterThan(104)
    expect(await readBalance(deps.db, creditAccount(id))).toBe(107 - consumed)
    const chain = await listUsageEvents(deps.db, id)
    expect(chain).toHaveLength(taken.length)
    expect(brokenAt(chain)).toBeUndefined()
    expect(await sumOf()).toBe('0')
  },
)

verifies(
  'money.return',
  'unused credit returns once to its source, as pairs of accounts',
  async () => {
    const { entitlement, reference } = await funded(deps)
    const id = entitlement.entitlement_id
    await use(id, 'run_1', 53)
    const returned = await Promise.all([giveBack(id), giveBack(id), giveBack(id)])
    for (const one of returned)
      expect(one).toMatchObject({ state: 'returned', consumed_units: 53, returned_units: 54 })
    expect(await readBalance(deps.db, creditAccount(id))).toBe(0)
    const legs = await listMovements(deps.db, creditAccount(id))
    const pairs = [...new Set(legs.map((leg) => leg.receipt_id))].map((receiptId) =>
      pairLegs(legs.filter((leg) => leg.receipt_id === receiptId)),
    )
    const credit = creditAccount(id)
    expect(pairs).toEqual([
      [{ debit: 'clearing:invoice_reference', credit, units: 107 }],
      [
        { debit: credit, credit: 'fees', units: 3 },
        { debit: credit, credit: 'revenue:packetops', units: 50 },
      ],
      [{ debit: credit, credit: 'clearing:invoice_reference', units: 54 }],
    ])
    expect(legs[0]?.receipt_id).toBe(reference.settlement_receipt_id)
    await expect(use(id, 'run_2', 1)).rejects.toMatchObject(refusal('credit_exhausted'))
  },
)

verifies('money.return', 'nothing is consumed or returned before it is funded', async () => {
  const { entitlement } = await quoted(deps)
  await expect(use(entitlement.entitlement_id, 'run_1', 1)).rejects.toMatchObject(
    refusal('wrong_state'),
  )
  expect(await giveBack(entitlement.entitlement_id)).toMatchObject({
    state: 'pending',
    returned_units: 0,
  })
  await expect(giveBack(`en_${'0'.repeat(64)}`)).rejects.toMatchObject(refusal('not_found'))
})

verifies(
  'money.refund',
  'a refund takes rest and earnings once, and says if work was done',
  async () => {
    const unused = await funded(deps)
    const [first, second] = await Promise.all([
      refundOf(unused.reference.payment_reference_id),
      refundOf(unused.reference.payment_reference_id),
    ])
    expect([first.afterUse, second.afterUse]).toEqual([false, false])
    expect(first.reference.state).toBe('refunded')
    expect(await findEntitlement(deps.db, unused.entitlement.entitlement_id)).toMatchObject({
      state: 'returned',
      returned_units: 107,
    })
    const kinds = (await listReceipts(deps.db, unused.reference.payment_reference_id)).map(
      ({ kind }) => kind,
    )
    expect(kinds).toEqual(['settlement_receipt', 'refund'])

    const used = await funded(deps)
    await use(used.entitlement.entitlement_id, 'run_1', 100)
    expect((await refundOf(used.reference.payment_reference_id)).afterUse).toBe(true)
    expect(await findEntitlement(deps.db, used.entitlement.entitlement_id)).toMatchObject({
      state: 'returned',
      returned_units: 7,
    })
    const pending = await quoted(deps)
    await expect(refundOf(pending.challenge.challenge_id)).rejects.toMatchObject(
      refusal('not_found'),
    )
    expect(await sumOf()).toBe('0')
  },
)

verifies(
  'money.usage-chain',
  'SQL refuses an event out of order, and a change of a stored event',
  async () => {
    const { entitlement } = await funded(deps)
    const { event_id, hash } = await use(entitlement.entitlement_id, 'run_1', 5)
    const run = (text: string) => sql.raw(text).execute(deps.db)
    const copy = (sequence: number, prev: string) =>
      run(`insert into usage_events select (jsonb_populate_record(u, jsonb_build_object('event_id', 'ue_' || repeat('${sequence}', 64),
      'sequence', ${sequence}, 'prev_hash', '${prev}', 'credit_units', 0, 'usage_receipt_id', null))).* from usage_events u where event_id = '${event_id}'`)
    await expect(copy(2, hash)).rejects.toMatchObject({ code: '23514' })
    await expect(copy(1, '0'.repeat(64))).rejects.toMatchObject({ code: '23514' })
    await copy(1, hash)
    await expect(
      run(`update usage_events set units = 6 where event_id = '${event_id}'`),
    ).rejects.toMatchObject({
      code: '23514',
    })
    await expect(
      run(`delete from usage_events where event_id = '${event_id}'`),
    ).rejects.toMatchObject({
      code: '23514',
    })
  },
)
