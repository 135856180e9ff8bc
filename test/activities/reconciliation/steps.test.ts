import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Section, sections } from '#domain/core/difference.ts'
import type { ReconciliationDeps } from '../../../activities/reconciliation/deps.ts'
import { createReconciliationSteps } from '../../../activities/reconciliation/steps.ts'
import { noteSuspects } from '../../../activities/store/reconciliation/reconciliations.ts'
import type { Compared, Confirmed, Page } from '../../../workflows/reconciliation/activities.ts'
import { verifies } from '../../verifies.ts'
import { type Books, startBooks } from './fixture.ts'
import { placeAt, seedPayout } from './rows.ts'

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
  for (const section of walked) {
    await placeAt(books.db, reconciliationId, sections.indexOf(section))
    await activity.run(steps.comparePage, { reconciliationId, section })
  }
  await meanwhile?.()
  for (const section of walked) {
    await placeAt(books.db, reconciliationId, sections.length + sections.indexOf(section))
    opened.push(...(await confirm({ reconciliationId, section })).opened)
  }
  await placeAt(books.db, reconciliationId, 2 * sections.length)
  const { differences } = await steps.closeReconciliation({ reconciliationId })
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

verifies(
  ['reconcile.whole', 'stolen.temporal'],
  'a run that left something out does not end',
  async () => {
    const steps = createReconciliationSteps(books.deps)
    const reconciliationId = `run-${++runs}`
    await steps.openReconciliation({ reconciliationId, scope: 'changed' })
    const activity = new MockActivityEnvironment()
    const compare = (section: Section): Promise<Compared> =>
      activity.run(steps.comparePage, { reconciliationId, section })
    const close = () => steps.closeReconciliation({ reconciliationId })
    await expect(close()).rejects.toThrow('has not compared everything')
    await expect(compare('blocks')).rejects.toThrow('are not done')
    const end = sql`update reconciliations set completed_at = clock_timestamp(), differences = 0
    where reconciliation_id = ${reconciliationId}`
    await expect(end.execute(books.db)).rejects.toThrow('ends when everything is compared')
    for (const section of sections) while ((await compare(section)).more);
    // A page that is asked for again is compared once.
    const seen = (await compare('payouts')).compared
    await noteSuspects(books.db, reconciliationId, [
      { section: 'payouts', code: 'workflow_failed', subject: 'po_1', blockNumber: null },
    ])
    await expect(close()).rejects.toThrow('has not compared everything')
    await expect(end.execute(books.db)).rejects.toThrow('ends when everything is compared')
    const slow = createReconciliationSteps({ ...books.deps, settleMs: 600_000 })
    const early = activity.run(slow.confirmPage, { reconciliationId, section: 'payouts' as const })
    await expect(early).rejects.toThrow('have not had the time to land')
    for (const section of sections)
      await activity.run(steps.confirmPage, { reconciliationId, section })
    expect((await close()).compared).toBe(seen)
  },
)

verifies('reconcile.exceptions', 'every section can be walked where there is nothing', async () => {
  await sql`truncate payouts, transfers, payments, calls cascade`.execute(books.db)
  expect((await walk(sections, books.deps)).opened).toEqual([])
})
