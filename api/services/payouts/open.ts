import { openPayoutCallbacks } from '../../../activities/payouts/callbacks.ts'
import { canaryOf } from '../../../activities/payouts/canary-settings.ts'
import { notifyRow } from '../../../temporal/late-rows.ts'
import { createPayoutGateway, wakePayout } from '../../../temporal/payouts.ts'
import type { Adapters } from '../../adapters.ts'
import { AuthorityService } from './authority.ts'
import { PayoutService } from './payouts.ts'
import { refusedRecipients } from './refused-recipients.ts'
import { createReservationGate } from './reservation-gate.ts'

/** Payouts, the mandates for them, and their callbacks. */
export function openPayouts(adapters: Adapters) {
  const { config, db, client, rail, chain, callbackHosts } = adapters
  return {
    payouts: new PayoutService({
      ...adapters,
      gateway: createPayoutGateway(adapters),
      executeWaitMs: config.EXECUTE_WAIT_MS,
      executeLifeSecondsMin: rail.executeLifeSecondsMin,
      refusedRecipients: refusedRecipients(config),
      chainUp: chain.isUp,
      wake: (payoutId) => notifyRow({ client, db }, 'payout', payoutId),
      reservationGate: createReservationGate({
        ...adapters,
        wakePayout: (record) => wakePayout(client, record),
        canary: canaryOf(config),
      }),
    }),
    authority: new AuthorityService(adapters),
    payoutCallbacks: openPayoutCallbacks(db, callbackHosts),
  }
}
