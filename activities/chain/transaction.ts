import type { Address, Hex } from 'viem'
import type { SeenTransaction } from '#domain/payments/payment-reference.ts'
import type { Chain, ChainView } from './client.ts'
import { pairUp } from './ledger.ts'
import { findReceipt } from './receipt.ts'

/**
 * A transaction as each of the chain's views shows it, with the transfers of `asset` in it; undefined where a view does not
 * know it. Throws when one does not answer.
 */
export function readTransaction(
  chain: Pick<Chain, 'views'>,
  asset: Address,
  hash: Hex,
): Promise<(SeenTransaction | undefined)[]> {
  return Promise.all(chain.views.map((view) => seenBy(view, asset, hash)))
}

async function seenBy(
  { reader, heights }: ChainView,
  asset: Address,
  hash: Hex,
): Promise<SeenTransaction | undefined> {
  const { finalized } = await heights()
  const receipt = await findReceipt(reader, hash)
  if (receipt === undefined) return undefined
  const block = await reader.getBlock({ blockNumber: receipt.blockNumber })
  return {
    success: receipt.status === 'success',
    // A node may still return a receipt of a block that is no longer canonical.
    finalized: receipt.blockNumber <= finalized.number && block.hash === receipt.blockHash,
    transfers: pairUp(receipt.logs.filter((log) => log.address.toLowerCase() === asset)),
  }
}
