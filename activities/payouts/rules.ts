import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { allowedPayoutEvents, nextPayoutState, type PayoutEvent } from '#domain/payouts/payout.ts'
import {
  type DailyUse,
  type PayoutConstraints,
  readPayoutConstraints,
} from '../store/payouts/constraints.ts'
import type { PayoutRecord, PayoutRow } from '../store/payouts/payouts.ts'
import type { Tx } from '../store/postgres/db.ts'

/**
 * Refuses a payout that may not be reserved now: wrong state, less than `lifeSecondsMin` of life, a revoked mandate, an unsettled charge, a pause, or
 * the daily cap. Returns the expiry and the current time in Unix seconds. The cap is exact only after `lockDailyCap`.
 */
export async function assertExecutable(
  tx: Tx,
  row: PayoutRow,
  lifeSecondsMin: number,
): Promise<{ expiresAt: number; now: number }> {
  return executableIn(await readPayoutConstraints(tx, row.payout_id, row), row, lifeSecondsMin)
}

/** The same, with constraints that are already read. */
export function executableIn(
  { now, unsettled, pause, revoked, use }: PayoutConstraints,
  row: PayoutRow,
  lifeSecondsMin: number,
): { expiresAt: number; now: number } {
  const expiresAt = Number(openFor('execute', row).expires_at)
  assertLife({ expiresAt, now, lifeSecondsMin }, 'Create and authorize a new payout.')
  if (revoked) throw revokedMandate('Create and authorize a new payout.')
  if (unsettled) throw unsettledCharge()
  if (pause !== undefined)
    throw refuse('paused', {
      detail: `paused by an operator: ${pause}`,
      next_action: 'Repeat the call later.',
      retry_after_ms: 30_000,
    })
  assertUnderDailyCap(row, use)
  return { expiresAt, now }
}

/** Refuses an expiry before which a transfer can no longer confirm. */
export function assertLife(
  { expiresAt, now, lifeSecondsMin }: { expiresAt: number; now: number; lifeSecondsMin: number },
  next_action: string,
): void {
  if (expiresAt - now >= lifeSecondsMin) return
  throw refuse('payout_expired', {
    detail: `less than ${lifeSecondsMin} s of life are left`,
    next_action,
  })
}

/** The row, if the state table allows the event now; otherwise 409 `wrong_state` naming the events allowed. */
export function openFor(event: PayoutEvent, row: PayoutRow): PayoutRow {
  if (nextPayoutState(row.state, event) !== undefined) return row
  const allowed = allowedPayoutEvents(row.state)
  throw refuse('wrong_state', {
    detail: `the payout is ${row.state}`,
    next_action:
      allowed.length === 0 ? 'Read the payout status.' : `Allowed now: ${allowed.join(', ')}.`,
    extra: { state: row.state, allowed_events: allowed },
  })
}

function assertUnderDailyCap(row: PayoutRow, { atomic, freesInMs }: DailyUse): void {
  if (atomic + BigInt(row.amount_atomic) <= limits.dailyCapAtomic) return
  throw refuse('daily_cap_exceeded', {
    detail: `${atomic} of ${limits.dailyCapAtomic} atomic units are in use`,
    retry_after_ms: Math.max(1000, freesInMs ?? 60_000),
  })
}

/** An operator revoked the mandate: it authorizes nothing, and what it authorized is not executed. */
export const revokedMandate = (next_action: string) =>
  refuse('authority_denied', {
    detail: 'an operator revoked the mandate',
    next_action,
    money_moved: 'no',
  })

/** A payout with an unsettled charge takes no further step. */
export const unsettledCharge = () =>
  refuse('settlement_pending', {
    detail: 'an earlier call on this payout is not settled yet',
    next_action: 'Repeat the earlier call first, then this one.',
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })

/** The row, if it exists and belongs to the caller; otherwise always the same 404. */
export function ownPayout(row: PayoutRow | undefined, creator: string): PayoutRow {
  if (row === undefined || row.creator !== creator) throw unknownPayout()
  return row
}

export const unknownPayout = () =>
  refuse('not_found', {
    detail: 'no such payout of this wallet',
    next_action: 'Check the payout id and the wallet that signs.',
  })

/** 410 with the receipt of the dead transfer; the call has no effect and is not charged. */
export const deadTransfer = (record: PayoutRecord) =>
  refuse('payout_expired', {
    detail: 'the transfer is proven never to have moved and never to move',
    next_action: 'Create and authorize a new payout.',
    money_moved: 'no',
    extra: { receipt: record.receipts.at(-1)?.jws },
  })
