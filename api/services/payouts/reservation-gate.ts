import { DomainError } from '#domain/core/errors.ts'
import { assertCanaryConfirmed, todaysCanary } from '../../../activities/payouts/canary.ts'
import type { Deps } from '../../../activities/payouts/deps.ts'
import type { PayoutRow } from '../../../activities/store/payouts/payouts.ts'
import type { PayoutLabel } from '../../../temporal/payouts.ts'

export type ReservationGateDeps = Pick<Deps, 'db' | 'rail' | 'canary' | 'minimumBalance'> & {
  /** Makes a payout's workflow start or continue. */
  wakePayout: (record: { payout: PayoutLabel & { payout_id: string } }) => Promise<void>
}

/**
 * The checks of an execute before its fee is taken: the minimum balance, and today's canary, whose workflow the first execute of
 * the day starts. The transaction that reserves checks both again. Undefined where neither is configured.
 */
export function createReservationGate(
  deps: ReservationGateDeps,
): ((row: PayoutRow) => Promise<void>) | undefined {
  if (deps.canary === undefined && !deps.minimumBalance.isSet) return undefined
  return async (row) => {
    await deps.minimumBalance.assertAbove(deps.db, row, await deps.minimumBalance.read())
    try {
      await assertCanaryConfirmed(deps.db, deps)
    } catch (error) {
      if (error instanceof DomainError) await startCanary(deps)
      throw error
    }
  }
}

/** Starts the workflow of today's canary where it has no transfer yet; a worker writes its rows, because this process may not. */
async function startCanary({ wakePayout, db, rail, canary }: ReservationGateDeps): Promise<void> {
  if (canary === undefined) return
  const { payoutId, state } = await todaysCanary(db, rail.payoutWallet)
  if (state !== 'absent') return
  const payout = {
    payout_id: payoutId,
    amount_atomic: canary.amountAtomic.toString(),
    recipient: canary.recipient,
    usage: 'operational' as const,
    creator: rail.payoutWallet,
  }
  // If this start fails, the next execute starts it.
  await wakePayout({ payout }).catch(() => undefined)
}
