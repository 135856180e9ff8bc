import { digestOf } from '#domain/core/canonical-json.ts'
import type { Client, OperationId } from '../../../../api/http/client.ts'
import type { Agent, Rail } from '../../../support/agent.ts'
import { freshKey } from '../../../support/agent-use.ts'
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
    return (await by.client.call('payout-execute', asked)).body
  }
  /** What is to be signed; only the digest of the request differs between two of them. */
  const challenged = async (client: Client, request: string) => {
    const request_sha256 = digestOf({ request })
    const asked = { holder_wallet: rail.stack.accounts.treasury.holder.address, request_sha256 }
    const { challenge_token } = (await client.call('payout-challenge', asked)).body
    const [, claims = ''] = challenge_token.split('.')
    const text = Buffer.from(claims, 'base64url').toString()
    return { request: text.includes(request_sha256) ? request : 'none' }
  }
  return {
    'payout-create': {
      calls: [() => rail.create(by, more('1')), () => rail.create(by, more('2'))],
      kept,
    },
    'payout-challenge': {
      calls: [({ open }) => challenged(open, 'one'), ({ open }) => challenged(open, 'another')],
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
