import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { digestOf, sha256Hex } from './canonical-json.ts'
import { CHAIN_ID, NETWORK } from './limits.ts'

export type Hex = `0x${string}`

/** `po_` + SHA-256 of creator and key; also the Temporal workflow id. */
export function payoutId(creator: string, idempotencyKey: string): string {
  return `po_${digestOf({ type: 'service.payout.v1', creator: creator.toLowerCase(), idempotency_key: idempotencyKey })}`
}

/** The EIP-3009 nonce of a payout, as `0x` + 64 hex: the token itself refuses a second use of it. */
export function transferNonce(asset: string, payout: string): Hex {
  const text = `service.payout.eip3009-nonce.v1:${CHAIN_ID}:${asset.toLowerCase()}:${payout}`
  return `0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`
}

/** 64 hex that name one x402 payment. */
export function paymentId(asset: string, payer: string, nonce: string): string {
  return sha256Hex(
    `x402:2:${NETWORK}:${asset.toLowerCase()}:${payer.toLowerCase()}:${nonce.toLowerCase()}`,
  )
}

export function receiptId(jws: string): string {
  return `rc_${sha256Hex(jws)}`
}

/** One id for one (caller, operation, key). */
export function callId(caller: string, operation: string, key: string): string {
  return `call_${digestOf({ caller, operation, key })}`
}
