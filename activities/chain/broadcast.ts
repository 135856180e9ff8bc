import { BaseError, type Hex } from 'viem'
import type { ChainReader } from './client.ts'

/** The answer of a node to a raw transaction. Only `accepted` and `known` mean that the node has it; `unknown` may mean anything. */
export type BroadcastVerdict =
  | 'accepted'
  | 'known'
  | 'nonce_too_low'
  | 'nonce_too_high'
  | 'underpriced'
  | 'insufficient_funds'
  | 'unknown'

const patterns: readonly (readonly [RegExp, BroadcastVerdict])[] = [
  [/already known|already imported|known transaction|same hash was already|alreadyknown/i, 'known'],
  [/nonce (is )?too low|nonce has already been used|oldnonce/i, 'nonce_too_low'],
  [/nonce (is )?too high|nonce gap|gapped[- ]nonce/i, 'nonce_too_high'],
  [/underpriced|fee ?too ?low|less than block base fee|gas price (too low|below)/i, 'underpriced'],
  [/insufficient ?funds|insufficient balance|not enough funds/i, 'insufficient_funds'],
]

/** Sends stored bytes. Returns every error as a verdict and never throws. */
export async function broadcast(reader: ChainReader, raw: Hex): Promise<BroadcastVerdict> {
  try {
    await reader.sendRawTransaction({ serializedTransaction: raw })
    return 'accepted'
  } catch (error) {
    return classifyBroadcast(error instanceof BaseError ? error.details : String(error))
  }
}

/** Reads a node's error message. */
export function classifyBroadcast(message: string): BroadcastVerdict {
  return patterns.find(([pattern]) => pattern.test(message))?.[1] ?? 'unknown'
}
