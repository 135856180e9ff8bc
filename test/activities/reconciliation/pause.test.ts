import { afterAll, beforeAll, expect } from 'vitest'
import { openException } from '../../../activities/reconciliation/open-exception.ts'
import { openReconciliation } from '../../../activities/store/reconciliation/reconciliations.ts'
import { verifies } from '../../verifies.ts'
import { type Books, startBooks } from './fixture.ts'

let books: Books
beforeAll(async () => {
  books = await startBooks()
  for (const reconciliationId of ['first', 'second'])
    await openReconciliation(books.db, { reconciliationId, scope: 'all', throughBlock: 1n })
})
afterAll(async () => {
  await books?.stop()
})

const unexplained = (subject: string) => ({
  code: 'unexplained_outgoing' as const,
  subject,
  evidence: { stored: null, found: { to: subject } },
})
const changes = () =>
  books.db.selectFrom('control_changes').select(['scope', 'paused', 'reason']).execute()

verifies('reconcile.pause', 'two reconciliations at once pause the payouts once', async () => {
  for (const subject of ['0x01', '0x02', '0x03'].map((hash) => hash.padEnd(66, '0'))) {
    const before = await changes()
    const opened = await Promise.all(
      ['first', 'second'].map((id) => openException(books.deps, id, unexplained(subject))),
    )
    expect(opened.toSorted()).toEqual([false, true])
    expect((await changes()).slice(before.length)).toEqual([
      { scope: 'payouts', paused: true, reason: expect.stringContaining(subject) },
    ])
  }
})

verifies('reconcile.pause', 'other differences pause nothing', async () => {
  const before = await changes()
  const difference = { ...unexplained('po_1'), code: 'workflow_failed' as const }
  expect(await openException(books.deps, 'first', difference)).toBe(true)
  expect(await changes()).toEqual(before)
})
