import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Section, sections } from '#domain/core/difference.ts'
import type { ReconciliationDeps } from '../../../activities/reconciliation/deps.ts'
import { createReconciliationSteps } from '../../../activities/reconciliation/steps.ts'
import type { Confirmed, Page } from '../../../workflows/reconciliation/activities.ts'
import { verifies } from '../../verifies.ts'
import { type Books, startBooks } from './fixture.ts'
import { seedPayout } from './rows.ts'

let books: Books
beforeAll(async () => {
  books = await startBooks()
})
afterAll(() => books?.stop())

let runs = 0

/** Walks some sections as the workflow does; `meanwhile` happens between the two looks. */
async function walk(
  walked: readonly Section[],
  deps: ReconciliationDeps,
  meanwhile?: () => Promise<unknown>,
) {
  const steps = createReconciliationSteps(deps)
  const reconciliationId = `run-${++runs}`
  const opened: string[] = []
  await steps.openReconciliation({ reconciliationId, scope: 'changed' })
  const activity = new MockActivityEnvironment()
  const confirm = (page: Page): Promise<Confirmed> => activity.run(steps.confirmPage, page)
  for (const section of walked)
    await activity.run(steps.comparePage, { reconciliationId, section, after: null })
  await meanwhile?.()
  for (const section of walked)
    opened.push(...(await confirm({ reconciliationId, section, after: null })).opened)
  const { differences } = await steps.closeReconciliation({ reconciliationId, compared: 0 })
  return { opened, differences }
}

verifies(
  ['reconcile.compares', 'reconcile.exceptions'],
  'finds more than the cap in a day of block times, and lost workflows',
  async () => {
    const { payoutWallet } = books.deps.rail
    const day = 1_700_000_000
    for (const executedAt of [day, day + 40_000, day + 80_000, day + 86_300, day + 90_000])
      await seedPayout(books.db, payoutWallet, {
        amount: 24_000_000n,
        createdAt: 1,
        authorizedAt: 2,
        executedAt,
      })
    expect((await walk(['wallets'], books.deps)).opened).toEqual([])
    await seedPayout(books.db, payoutWallet, {
      amount: 5_000_000n,
      createdAt: 1,
      authorizedAt: 2,
      executedAt: day + 86_000,
    })
    expect(await walk(['wallets'], books.deps)).toEqual({
      opened: [`daily_cap_exceeded ${payoutWallet}`],
      differences: 1,
    })
    expect(await walk(['wallets'], books.deps)).toEqual({ opened: [], differences: 1 })

    let status = 'FAILED'
    const watch = {
      ...books.deps.watch,
      failed: async () => ['po_1', 'po_2'],
      see: async (id: string) => ({ status: id === 'po_1' ? status : 'RUNNING', view: null }),
    }
    const both = ['wallets', 'workflows'] as const
    expect(await walk(both, { ...books.deps, watch })).toEqual({
      opened: ['workflow_failed po_1'],
      differences: 2,
    })
    status = 'RUNNING'
    expect(await walk(both, { ...books.deps, watch })).toEqual({ opened: [], differences: 1 })
  },
)

verifies(
  'reconcile.agreement',
  'a difference in flight opens nothing until a second check finds it',
  async () => {
    const { payoutId } = await seedPayout(books.db, books.deps.rail.payoutWallet, {
      amount: 1n,
      createdAt: 1,
    })
    const vanish = () => sql`delete from payouts where payout_id = ${payoutId}`.execute(books.db)
    const before = await books.db.selectFrom('exceptions').select('exception_id').execute()
    await walk(['payouts'], books.deps, vanish)
    const after = await books.db.selectFrom('exceptions').select('subject').execute()
    expect(after.map(({ subject }) => subject)).not.toContain(payoutId)
    expect(after.length).toBeGreaterThan(before.length)
    expect(await books.db.selectFrom('reconciliation_suspects').selectAll().execute()).toEqual([])
  },
)

verifies('reconcile.exceptions', 'every section can be walked where there is nothing', async () => {
  await sql`truncate payouts, transfers, payments, calls cascade`.execute(books.db)
  expect((await walk(sections, books.deps)).opened).toEqual([])
})
