import { sql } from 'kysely'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { loadConfig } from '../../../activities/config/config.ts'
import { createLimiter, type Limiter } from '../../../activities/store/calls/rate-limits.ts'
import { forgetWindows } from '../../../activities/store/calls/window-counts.ts'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import { migrateToLatest } from '../../../activities/store/postgres/migrate.ts'
import { createRateLimits } from '../../../api/calls/limits.ts'
import { startPostgres } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

const address = (digit: number) => `0x${String(digit).repeat(40)}`
const config = loadConfig({
  ASSET_CONTRACT_ADDRESS: address(1),
  PAYOUT_WALLET_ADDRESS: address(2),
  PAY_TO_ADDRESS: address(3),
  TREASURY_PRINCIPAL_ADDRESS: address(4),
  TREASURY_HOLDER_ADDRESS: address(5),
  LIMIT_WALLET_PER_MINUTE: '7',
  LIMIT_ADDRESS_PER_MINUTE: '50',
  FREE_GRANTS_PER_ADDRESS_PER_DAY: '3',
  FREE_GRANTS_PER_DAY: '5',
})
let postgres: Awaited<ReturnType<typeof startPostgres>>
const opened: OpenDatabase[] = []

beforeAll(async () => {
  postgres = await startPostgres()
  while (opened.length < 2)
    opened.push(createDatabase({ url: postgres.url, applicationName: 'test' }))
  await migrateToLatest(opened[0]!.db)
})
afterAll(async () => {
  for (const { close } of opened) await close()
  await postgres?.stop()
})

verifies(
  'pipeline.rate-limit',
  'of 20 calls at two processes exactly 7 pass; others get a retry time',
  async () => {
    const processes = opened.map(({ pool }) => createRateLimits(pool, config))
    const calls = Array.from({ length: 20 }, (_, index) =>
      processes[index % 2]!.wallet('wallet:0xaa')
        .then((ticket) => ticket.assertGranted())
        .then(
          () => undefined,
          (error: unknown) => error,
        ),
    )
    const refused = (await Promise.all(calls)).filter((error) => error !== undefined)
    expect(refused).toHaveLength(13)
    for (const error of refused) {
      expect(error).toBeInstanceOf(DomainError)
      const { refusal } = error as DomainError
      expect(refusal.code).toBe('rate_limited')
      expect(refusal.retry_after_ms).toBeGreaterThan(0)
      expect(refusal.retry_after_ms).toBeLessThanOrEqual(60_000)
    }
  },
)

verifies(
  'free.address-limit',
  'free calls are limited per address and in total without a refusal',
  async () => {
    const { freeGrant } = createRateLimits(opened[0]!.pool, config)
    const granted = async (address: string) => (await freeGrant(address)).granted
    expect(await Promise.all([0, 1, 2].map(() => granted('10.0.0.1')))).toEqual([true, true, true])
    expect(await granted('10.0.0.1')).toBe(false)
    expect([await granted('10.0.0.2'), await granted('10.0.0.3')]).toEqual([true, true])
    expect(await granted('10.0.0.4')).toBe(false)
  },
)

verifies(
  'pipeline.rate-limit',
  'portions never exceed the limit, and returned ones can be spent',
  async () => {
    const limiters = opened.map(({ pool }) => createLimiter(pool, 'portions', 100, 60))
    const takes = Array.from({ length: 150 }, (_, index) => limiters[index % 2]!.take('key'))
    const tickets = (await Promise.all(takes)).filter((ticket) => ticket.granted)
    expect(tickets.length).toBeLessThanOrEqual(100)
    expect(tickets.length).toBeGreaterThan(80)
    tickets[0]!.putBack()
    const again = await Promise.all(limiters.map((limiter) => limiter.take('key')))
    expect(again.filter((ticket) => ticket.granted).length).toBeGreaterThanOrEqual(1)
  },
)

verifies(
  'pipeline.rate-limit',
  'calls that one process refuses add nothing to another’s limit',
  async () => {
    const [one, other] = opened.map(({ pool }) => createLimiter(pool, 'refused', 60, 60)) as [
      Limiter,
      Limiter,
    ]
    const granted = async (limiter: Limiter, calls: number) => {
      let passed = 0
      for (let call = 0; call < calls; call++) if ((await limiter.take('key')).granted) passed++
      return passed
    }
    expect(await granted(one, 90)).toBe(60)
    expect(await granted(other, 30)).toBe(0)
  },
)

verifies(
  'pipeline.rate-limit',
  'a process with a wrong clock leaves no limit of another hour behind',
  async () => {
    const [ahead, right] = opened.map(({ pool }) => createLimiter(pool, 'clock', 3, 60)) as [
      Limiter,
      Limiter,
    ]
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    for (let call = 0; call < 4; call++) await ahead.take('key')
    vi.useRealTimers()
    const refused = await right.take('key')
    expect(refused).toMatchObject({ granted: false })
    if (!refused.granted) expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000)
    await sql`update window_counts set window_ends_at = clock_timestamp() where key = 'clock:key'`.execute(
      opened[0]!.db,
    )
    expect(await createLimiter(opened[1]!.pool, 'clock', 3, 60).take('key')).toMatchObject({
      granted: true,
    })
  },
)

verifies('pipeline.rate-limit', 'counts are removed an hour after their window', async () => {
  const { db, pool } = opened[0]!
  const limiter = createLimiter(pool, 'kept', 3, 60)
  await limiter.take('over')
  await limiter.take('open')
  await sql`update window_counts set window_ends_at = clock_timestamp() - interval '2 hours' where key = 'kept:over'`.execute(
    db,
  )
  await forgetWindows(db, 100)
  const { rows } = await sql<{ key: string }>`
    select key from window_counts where key like 'kept:%'`.execute(db)
  expect(rows).toEqual([{ key: 'kept:open' }])
})
