import type { Client } from '@temporalio/client'
import { assertCanaryConfirmed, beginCanary } from '../activities/canary.ts'
import type { Deps } from '../activities/deps.ts'
import { type PayoutRow, requirePayout } from '../activities/store/payouts.ts'
import { wakePayout } from './payouts.ts'

type GateDeps = Pick<Deps, 'db' | 'rail' | 'signReceipt' | 'canary' | 'floor'> & { client: Client }

/**
 * What an execute passes before its fee is taken: the balance floor and today's canary, which the first execute of the day
 * begins. The reserve transaction asks both again. Undefined where neither is configured.
 */
export function createReservationGate(deps: GateDeps): ((row: PayoutRow) => Promise<void>) | undefined {
  if (deps.canary === undefined && !deps.floor.isSet) return undefined
  return async (row) => {
    await deps.floor.assertAbove(deps.db, row, await deps.floor.look())
    await assertCanaryConfirmed(deps.db, deps).catch(async (refusal: unknown) => {
      await ensureCanary(deps)
      throw refusal
    })
  }
}

/** Begins today's canary where one is configured and none is there; its workflow is the one of every payout. */
async function ensureCanary({ client, canary, ...deps }: GateDeps): Promise<void> {
  if (canary === undefined) return
  const payoutId = await beginCanary({ ...deps, canary })
  if (payoutId === undefined) return
  // Should this start fail, a worker's sweep starts it: the reservation is stored.
  await wakePayout(client, await requirePayout(deps.db, payoutId)).catch(() => undefined)
}
