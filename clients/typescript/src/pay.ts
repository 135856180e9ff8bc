import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { LocalAccount } from 'viem'
import { NETWORK } from '../../../workflows/domain/core/limits.ts'

/** What a paying fetch may spend: the most that one call and all calls together may cost, in atomic units of one token. */
export type Spending = {
  readonly asset: string
  readonly maxPerCall: bigint
  readonly maxInAll?: bigint
}

/**
 * A fetch that answers a 402 with an x402 payment of the account and sends the call again. It pays in the named token alone and
 * never more than `maxPerCall`, and calls whose fee could exceed `maxInAll` are answered by their 402; the token of a service stands in
 * its trust contract.
 */
export function payingFetch(
  account: LocalAccount,
  { asset, maxPerCall, maxInAll }: Spending,
  send: typeof fetch = fetch,
): typeof fetch {
  const payer = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: new ExactEvmScheme(account) }],
    spendControls: {
      allowedAssets: [{ network: NETWORK, asset, maxAmountPerPayment: String(maxPerCall) }],
    },
  })
  const pay = wrapFetchWithPayment(send, payer)
  if (maxInAll === undefined) return pay
  let left = maxInAll
  payer.onBeforePaymentCreation(async ({ selectedRequirements: { amount } }) => {
    if (BigInt(amount) > left) return { abort: true, reason: 'the limit of all fees is reached' }
    left -= BigInt(amount)
    return undefined
  })
  return (input, init) => (left < maxPerCall ? send : pay)(input, init)
}
