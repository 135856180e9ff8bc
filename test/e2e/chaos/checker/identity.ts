import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { PayoutFact } from './facts.ts'

/** The documented derivations, written a second time from the documents (payout.md, Identity and terms). */
export const sha256 = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex')

/** The entry of a receipt in the log: the digest of the digest that is in its id (log.md, Tree). */
export const logEntryOf = (jws: string): string =>
  createHash('sha256').update(sha256(jws), 'hex').digest('hex')

export const payoutIdOf = ({
  creator,
  idempotency_key,
}: Pick<PayoutFact, 'creator' | 'idempotency_key'>): string =>
  `po_${sha256(sorted({ type: 'service.payout.v1', creator, idempotency_key }))}`

/** The only token nonce at which this payout may ever be paid. */
export const nonceOf = ({ asset, payout_id }: Pick<PayoutFact, 'asset' | 'payout_id'>): string =>
  `0x${bytesToHex(keccak_256(utf8ToBytes(`service.payout.eip3009-nonce.v1:8453:${asset}:${payout_id}`)))}`

export function termsDigestOf(payout: PayoutFact): string {
  const { recipient, amount_atomic, memo, rail_reference, usage, asset } = payout
  return sha256(
    sorted({ recipient, amount_atomic, memo, rail_reference, usage, asset, chain_id: 8453 }),
  )
}

/** Canonical JSON of a flat object: for texts and whole numbers JSON.stringify is RFC 8785 but for the order. */
const sorted = (value: Record<string, string | number>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
