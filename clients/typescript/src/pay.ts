import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { LocalAccount } from 'viem'
import { NETWORK } from '../../../workflows/domain/core/limits.ts'

/** What a paying fetch may spend: the most that one call may cost, in atomic units of one token. */
export type Spending = { readonly asset: string; readonly maxPerCall: bigint }

/**
 * A fetch that answers a 402 with an x402 payment of the account and sends the call again. It pays in the named token alone and
 * never more than `maxPerCall`; the token of a service stands in its trust contract.
 */
export function payingFetch(
  account: LocalAccount,
  { asset, maxPerCall }: Spending,
  send: typeof fetch = fetch,
): typeof fetch {
  const payer = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: new ExactEvmScheme(account) }],
    spendControls: {
      allowedAssets: [{ network: NETWORK, asset, maxAmountPerPayment: String(maxPerCall) }],
    },
  })
  return wrapFetchWithPayment(send, payer)
}
