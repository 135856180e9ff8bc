import type { Client } from '@temporalio/client'
import { assertCanaryConfirmed, todaysCanary } from '../activities/canary.ts'
import type { Deps } from '../activities/deps.ts'
import type { PayoutRow } from '../activities/store/payouts.ts'
import { wakePayout } from './payouts.ts'

type GateDeps = Pick<Deps, 'db' | 'rail' | 'canary' | 'floor'> & { client: Client }

/**
 * What an execute passes before its fee is taken: the balance floor and today's canary, whose workflow the first execute of the
 * day starts. The reserve transaction asks both again. Undefined where neither is configured.
 */
export function createReservationGate(deps: GateDeps): ((row: PayoutRow) => Promise<void>) | undefined {
  if (deps.canary === undefined && !deps.floor.isSet) return undefined
  return async (row) => {
    await deps.floor.assertAbove(deps.db, row, await deps.floor.look())
    await assertCanaryConfirmed(deps.db, deps).catch(async (refusal: unknown) => {
      await startCanary(deps)
      throw refusal
    })
  }
}

/** Starts the workflow of today's canary where there is no transfer yet; a worker writes its rows, because this process may not. */
async function startCanary({ client, db, rail, canary }: GateDeps): Promise<void> {
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
  // Should this start fail, the next execute starts it.
  await wakePayout(client, { payout }).catch(() => undefined)
}
