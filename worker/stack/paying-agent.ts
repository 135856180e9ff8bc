import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Client, createClient } from '../../api/surfaces/client.ts'
import { NETWORK } from '../../workflows/domain/limits.ts'

export type PayingAgent = { readonly account: PrivateKeyAccount; readonly client: Client; readonly fetch: typeof fetch }

/**
 * An agent with a wallet: it proves each call, and pays with x402 when it is asked to. `@x402/fetch` pays only in assets it
 * knows, so the local token has to be allowed, with the most that one call may cost (atomic units).
 */
export function openPayingAgent({
  baseUrl,
  origin,
  privateKey,
  asset,
  send = fetch,
}: {
  baseUrl: string
  origin: string
  privateKey: Hex
  asset: Address
  /** How requests are sent, the paid ones too. */
  send?: typeof fetch
}): PayingAgent {
  const account = privateKeyToAccount(privateKey)
  const payer = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: new ExactEvmScheme(account) }],
    spendControls: { allowedAssets: [{ network: NETWORK, asset, maxAmountPerPayment: '100000' }] },
  })
  const paying = wrapFetchWithPayment(send, payer)
  return {
    account,
    fetch: paying,
    client: createClient({ baseUrl, origin, wallet: account, fetch: (input, init) => paying(input, init) }),
  }
}
