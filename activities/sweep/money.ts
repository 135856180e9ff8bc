import type { Logger } from 'pino'
import type { MoneyDeps } from '../credit/deps.ts'
import { applyEvent } from '../credit/provider-events.ts'
import { verifyReference } from '../credit/verify-reference.ts'
import { listOpenEvents } from '../store/credit/provider-events.ts'
import { listDueReferences } from '../store/payments/payment-references.ts'

const PAGE = 100

/** Applies provider events whose process died after it had stored them. */
export async function applyEvents(money: MoneyDeps, log: Logger, graceMs: number): Promise<void> {
  for (const key of await listOpenEvents(money.db, graceMs, PAGE))
    await logFailure(log, applyEvent(money, key), key)
}

/** Verifies due payments for which no call asks any more. */
export async function verifyDue(money: MoneyDeps, log: Logger, graceMs: number): Promise<void> {
  for (const reference of await listDueReferences(money.db, graceMs, PAGE))
    await logFailure(log, verifyReference(money, reference), reference)
}

/** One that fails does not stop the others; the next sweep retries it. */
async function logFailure(log: Logger, done: Promise<unknown>, item: unknown): Promise<void> {
  await done.catch((error: unknown) =>
    log.warn({ item, error: String(error) }, 'the next sweep retries this payment'),
  )
}
