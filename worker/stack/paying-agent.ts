import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Client, createClient } from '../../api/http/client.ts'
import { payingFetch } from '../../clients/typescript/src/pay.ts'

export type PayingAgent = {
  readonly account: PrivateKeyAccount
  readonly client: Client
  readonly fetch: typeof fetch
}

/** The price of a wallet's call, in atomic units. */
const MAX_PER_CALL = 100_000n

/** An agent with a wallet: it proves each call, and pays with x402 when it is asked to. */
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
  const paying = payingFetch(account, { asset, maxPerCall: MAX_PER_CALL }, send)
  return {
    account,
    fetch: paying,
    client: createClient({
      baseUrl,
      origin,
      wallet: account,
      fetch: (input, init) => paying(input, init),
    }),
  }
}
