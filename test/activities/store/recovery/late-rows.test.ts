import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { callbackDeliveryId } from '#domain/callbacks/callback.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { addDelivery } from '../../../../activities/store/callbacks/callback-deliveries.ts'
import { countAttention, listAttention } from '../../../../activities/store/console/attention.ts'
import { recordException } from '../../../../activities/store/payouts/transfers.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import {
  claimWakes,
  countLate,
  findOpenRow,
  forgetWakes,
  lateSubjects,
  listLate,
  returnWake,
} from '../../../../activities/store/recovery/late-rows.ts'
import { provideInput } from '../../../../api/services/tasks/input.ts'
import { insertAuthorizedPayout, insertReservedTransfer } from '../../../support/payout-rows.ts'
import { verifies } from '../../../verifies.ts'
import { startTasks } from '../../tasks/fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks?.stop())

const hour = 3_600_000
const soon = { unitMs: 0, finalMs: 0 }
const budget = { most: 100, withinMs: hour }
const lateIds = async () => (await listLate(tasks.db, soon, 100)).map(({ id }) => id)
const wakeIds = async (most = 100, withinMs = 1) =>
  (await claimWakes(tasks.db, soon, { most, withinMs })).map(({ id }) => id)

verifies('recovery.late', 'a task is late where something of the service is missing', async () => {
  const created = await tasks.taskIn('contract_accepted')
  const ofCaller = [await tasks.taskIn('preflight_checked'), await tasks.taskIn('trusted')]
  const stopped = await tasks.taskIn('exception_open')
  const lapsing = await tasks.taskIn('contract_ready')
  const waiting = await tasks.taskIn('credit_funded', { usage: 'operational' })
  await transaction(tasks.db, (tx) => provideInput(tx, waiting.task_id, packetops.sandboxInput))
  expect(await lateIds()).toContain(created.task_id)
  for (const { task_id } of [...ofCaller, stopped, lapsing, waiting])
    expect(await lateIds()).not.toContain(task_id)

  await sql`update tasks set due_at = clock_timestamp() - interval '1 second' where task_id = ${lapsing.task_id}`.execute(
    tasks.db,
  )
  await sql`update tasks set changed_at = clock_timestamp() - interval '25 hours' where task_id = ${waiting.task_id}`.execute(
    tasks.db,
  )
  const late = await lateIds()
  expect(late).toEqual(expect.arrayContaining([lapsing.task_id, waiting.task_id]))
  // Without its own age, nothing is late, whatever its workflow does.
  expect(await listLate(tasks.db, { unitMs: hour, finalMs: hour }, 100)).toMatchObject([
    { subject: 'task', id: waiting.task_id, state: 'credit_funded' },
  ])
  const counted = await countLate(tasks.db, soon)
  expect(counted).toContainEqual({
    subject: 'task',
    state: 'credit_funded',
    count: 1,
    oldest_seconds: expect.any(Number),
  })
  expect(await findOpenRow(tasks.db, soon, created.task_id)).toMatchObject({ late: true })
  expect(await findOpenRow(tasks.db, soon, stopped.task_id)).toBeUndefined()
})

verifies(
  'recovery.wakes',
  'a row is claimed once, and again after a growing distance',
  async () => {
    await sql`delete from late_wakes`.execute(tasks.db)
    const { task_id: id } = await tasks.taskIn('contract_accepted')
    const minute = { unitMs: 60_000, finalMs: 60_000 }
    const aged = (seconds: number) =>
      sql`update tasks set changed_at = clock_timestamp() - ${seconds} * interval '1 second' where task_id = ${id}`.execute(
        tasks.db,
      )
    await aged(120)
    const claims = await Promise.all([1, 2, 3].map(() => claimWakes(tasks.db, minute, budget)))
    expect(claims.flat().filter((row) => row.id === id)).toMatchObject([{ attempts: 1 }])
    const distance = async () => {
      const { rows } = await sql<{
        s: number
      }>`select extract(epoch from next_at - woken_at)::float8 as s from late_wakes where id = ${id}`.execute(
        tasks.db,
      )
      return rows[0]?.s ?? 0
    }
    const due = () =>
      sql`update late_wakes set next_at = clock_timestamp(), woken_at = clock_timestamp() - interval '1 day' where id = ${id}`.execute(
        tasks.db,
      )
    const distances = [await distance()]
    for (const attempts of [2, 3]) {
      expect(await claimWakes(tasks.db, minute, budget)).toEqual([])
      await due()
      const again = await claimWakes(tasks.db, minute, budget)
      expect(again).toMatchObject([{ subject: 'task', id, attempts }])
      distances.push(await distance())
    }
    for (const [at, seconds] of distances.entries()) {
      expect(seconds).toBeGreaterThan(60 * 2 ** at * 0.89)
      expect(seconds).toBeLessThan(60 * 2 ** at * 1.12)
    }
    // A wake that was not sent was no attempt; a row that has moved on begins from the start.
    await returnWake(tasks.db, minute, { subject: 'task', id })
    await due()
    expect(await claimWakes(tasks.db, minute, budget)).toMatchObject([{ id, attempts: 3 }])
    await aged(90)
    expect(await claimWakes(tasks.db, minute, budget)).toMatchObject([{ id, attempts: 1 }])
    await sql`update late_wakes set next_at = clock_timestamp() - interval '2 hours'`.execute(
      tasks.db,
    )
    await forgetWakes(tasks.db)
    const { rows } = await sql`select 1 from late_wakes`.execute(tasks.db)
    expect(rows).toEqual([])
  },
)

verifies('recovery.wakes', 'no more than so many are claimed within the time', async () => {
  await sql`delete from late_wakes`.execute(tasks.db)
  for (let made = 0; made < 3; made++) await tasks.taskIn('contract_accepted')
  const first = await wakeIds(2, hour)
  expect(first).toHaveLength(2)
  expect(await wakeIds(2, hour)).toEqual([])
  expect((await wakeIds(100, hour)).length).toBeGreaterThan(0)
})

verifies('recovery.wakes', 'a callback that nothing else begins is due at once', async () => {
  const subject = '0123456789abcdef'
  const url = 'https://hooks.receiver.example/in'
  await addDelivery(tasks.db, { owner: 'a', event: 'credential_ready', subject, ordinal: 1, url })
  const id = callbackDeliveryId(subject, 'credential_ready', 1)
  const ages = { unitMs: hour, finalMs: hour }
  expect(await claimWakes(tasks.db, ages, budget)).toMatchObject([{ subject: 'callback', id }])
})

verifies('recovery.stuck', 'what is late is listed with what is stopped, and once', async () => {
  const kinds = ['task', 'late'] as const
  const { task_id: late } = await tasks.taskIn('contract_accepted')
  const { task_id: stopped } = await tasks.taskIn('exception_open')
  const listed = await listAttention(tasks.db, { kinds, ages: soon }, 100)
  const of = (id: string) => listed.filter((one) => one.id === id)
  expect(of(late)).toMatchObject([{ kind: 'late', code: 'task', state: 'contract_accepted' }])
  expect(of(stopped)).toMatchObject([{ kind: 'task', code: 'operator_hold' }])
  expect(await countAttention(tasks.db, { kinds })).not.toHaveProperty('late')
})

verifies(
  ['recovery.late', 'recovery.expired'],
  'a transfer counts from its reservation, or from its end',
  async () => {
    const now = Math.floor(Date.now() / 1000)
    const hex = (digits: number) => randomBytes(digits / 2).toString('hex')
    const reserve = async (expiresAt: number) => {
      const payout_id = `po_${hex(64)}`
      const facts = { payout_id, creator: `0x${hex(40)}`, idempotency_key: 'k', memo: 'm' }
      const more = { recipient: `0x${hex(40)}`, amount_atomic: '1', rail_reference: 'r' } as const
      const terms = { usage: 'synthetic', terms_sha256: hex(64) } as const
      const accounts = { asset: `0x${hex(40)}`, payout_wallet: `0x${hex(40)}` }
      await insertAuthorizedPayout(
        tasks.db,
        { ...facts, ...more, ...terms, ...accounts },
        expiresAt,
      )
      await insertReservedTransfer(tasks.db, payout_id)
      return payout_id
    }
    const rowOf = (id: string) => findOpenRow(tasks.db, soon, id)
    const open = await reserve(now + 3_600)
    expect(await rowOf(open)).toMatchObject({ subject: 'payout', state: 'reserved', late: true })
    expect(await rowOf(await reserve(now - 60))).toMatchObject({
      state: 'expired',
      since: new Date((now - 60) * 1000),
      late: true,
    })
    // An operator's decision may take a day; meanwhile its workflow is kept in Temporal.
    await recordException(tasks.db, open, 'authorization_used_elsewhere')
    expect(await rowOf(open)).toMatchObject({ state: 'exception', late: false })
    expect(await wakeIds()).toContain(open)
  },
)

verifies('recovery.late', 'every subject has its query', async () => {
  const counted = await countLate(tasks.db, { unitMs: -hour, finalMs: -hour })
  for (const { subject } of counted) expect(lateSubjects).toContain(subject)
})
