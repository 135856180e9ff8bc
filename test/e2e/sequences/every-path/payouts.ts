import { digestOf } from '#domain/core/canonical-json.ts'
import type { OperationId } from '../../../../api/http/client.ts'
import { type Agent, eventually, type Rail } from '../../../support/agent.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import type { Kept, Rows } from './row.ts'

export const payoutIds: readonly OperationId[] = [
  'payout-create',
  'payout-challenge',
  'payout-authorize',
  'payout-execute',
  'payout-status',
]
const more = (amount_usdc: string) => ({ amount_usdc })

/** Payouts, which need the chain: `by` creates them, the treasury authorizes them. */
export function payoutRows(rail: Rail, by: Agent): Rows {
  const kept: Kept = { in: 'payout-status', as: () => by.client, id: 'payout_id' }
  const executed = async (amount: string) => {
    const { payout_id } = await rail.authorized(by, more(amount))
    const asked = { payout_id, idempotency_key: freshKey() }
    const call = () => by.client.call('payout-execute', asked)
    return (await eventually(call, ({ status }) => status !== 202)).body
  }
  const challenge = (holder_wallet: string) =>
    by.client.call('payout-challenge', { holder_wallet, request_sha256: digestOf({ amount: '1' }) })
  const { holder } = rail.stack.accounts.treasury
  return {
    'payout-create': {
      calls: [() => rail.create(by, more('1')), () => rail.create(by, more('2'))],
      kept,
    },
    'payout-challenge': {
      calls: [
        () => problemOf(challenge(`0x${'e5'.repeat(20)}`)),
        async () => (await challenge(holder.address)).body,
      ],
    },
    'payout-authorize': {
      calls: [() => rail.authorized(by, more('1')), () => rail.authorized(by, more('2'))],
      kept,
    },
    'payout-execute': { calls: [() => executed('1'), () => executed('2')], kept },
    'payout-status': {
      as: () => by.client,
      ask: async () => ({ payout_id: (await rail.create(by)).payout_id }),
      other: async () => ({ payout_id: (await rail.authorized(by)).payout_id }),
    },
  }
}
