import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import type { ChainReader } from './client.ts'

/** The receipt of a transaction; undefined where the node has none, which proves nothing: another node may have it. */
export async function findReceipt(
  reader: ChainReader,
  hash: Hex,
): Promise<TransactionReceipt | undefined> {
  try {
    return await reader.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined
    throw error
  }
}
