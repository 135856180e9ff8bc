import { refuse } from '#domain/core/errors.ts'
import { findReference, type ReferenceRow } from '../store/payments/payment-references.ts'
import { transaction } from '../store/postgres/db.ts'
import { checkReference } from './checks.ts'
import type { MoneyDeps } from './deps.ts'
import { closeReference, isTaken, keepPending, lockBoth, settle } from './settlement.ts'

const ofAnother = {
  code: 'unclear_payment',
  reason: 'a payment of this name was confirmed for something else',
} as const

/**
 * Checks the proof of a presented payment and stores the verdict: `verified` settles, `rejected` frees the challenge, and any other
 * stays `pending`. May run at any time and any number of times; the chain is read outside the transaction.
 */
export async function verifyReference(deps: MoneyDeps, referenceId: string): Promise<ReferenceRow> {
  const known = await findReference(deps.db, referenceId)
  if (known === undefined) throw refuse('not_found', { detail: 'no such payment reference' })
  if (known.state !== 'presented' && known.state !== 'pending') return known
  const verdict = await checkReference(deps, known)
  return transaction(deps.db, async (tx) => {
    const locked = await lockBoth(tx, referenceId)
    if (locked === undefined) throw new Error('a payment reference is missing')
    const { reference, challenge } = locked
    if (reference.state !== 'presented' && reference.state !== 'pending') return reference
    switch (verdict.kind) {
      case 'verified':
        if (await isTaken(tx, reference)) return keepPending(tx, locked, ofAnother)
        return settle(deps, tx, {
          ...locked,
          proof: { decidedBy: verdict.by, evidence: verdict.evidence },
        })
      case 'rejected':
        return closeReference(tx, locked, { event: 'reject', reason: verdict.reason })
      case 'pending':
        // A transaction that no node knows when the challenge ends expires; once it is mined, it can be presented again.
        if (verdict.absent === true && challenge?.lapsed === true)
          return closeReference(tx, locked, { event: 'expire', reason: verdict.reason })
        return keepPending(tx, locked, verdict)
    }
  })
}
