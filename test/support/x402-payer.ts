import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import type { Rail } from './agent.ts'
import { newWallet } from './chain.ts'

/** A new wallet with these atomic units, and the x402 library that signs payments with it. */
export async function openPayer(rail: Rail, tokens: bigint) {
  const { account, address } = await rail.openAgent({ wallet: newWallet(), tokens })
  const { asset } = rail
  const payer = x402Client.fromConfig({
    schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(account) }],
    spendControls: {
      allowedAssets: [{ network: 'eip155:8453', asset, maxAmountPerPayment: '500000000' }],
    },
  })
  return { address, payer }
}
