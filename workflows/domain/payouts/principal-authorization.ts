import { hashTypedData } from 'viem'
import { digestOf } from '../core/canonical-json.ts'
import type { Hex } from '../core/ids.ts'
import { CHAIN_ID } from '../core/limits.ts'

/** The terms that a treasury principal signs: one payout, with the expiry (Unix seconds) and idempotency key of its authorize call. */
export type PrincipalTerms = {
  readonly payoutId: string
  readonly payoutWallet: string
  readonly recipient: string
  readonly amountAtomic: string
  readonly expiresAt: number
  readonly idempotencyKey: string
  readonly asset: string
}

/** `type` inside the request digest of a payout. */
export const PRINCIPAL_REQUEST_TYPE = 'service.payout.principal-authorization.v1'

/** EIP-712 types of the principal authorization. */
export const principalTypes = {
  PayoutAuthorization: [
    { name: 'payoutId', type: 'string' },
    { name: 'payoutWallet', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
    { name: 'idempotencyKey', type: 'string' },
  ],
} as const

/** EIP-712 domain; the verifying contract is the asset, the name keeps it apart from the token's own signatures. */
export function principalDomain(asset: string) {
  return {
    name: 'Service Payout Rail',
    version: '1',
    chainId: CHAIN_ID,
    verifyingContract: lowerHex(asset),
  } as const
}

/** The typed data that the principal signs, ready for viem's `signTypedData`. */
export function principalTypedData(terms: PrincipalTerms) {
  return {
    domain: principalDomain(terms.asset),
    types: principalTypes,
    primaryType: 'PayoutAuthorization',
    message: {
      payoutId: terms.payoutId,
      payoutWallet: lowerHex(terms.payoutWallet),
      recipient: lowerHex(terms.recipient),
      amount: BigInt(terms.amountAtomic),
      expiresAt: BigInt(terms.expiresAt),
      idempotencyKey: terms.idempotencyKey,
    },
  } as const
}

/** The EIP-712 digest of the terms; the replay key of a principal signature, since a signature's bytes can be changed. */
export function principalDigest(terms: PrincipalTerms): Hex {
  return hashTypedData(principalTypedData(terms))
}

/** `request_sha256` of the terms, 64 hex: `amount_atomic` is a string, `chain_id` and `expires_at` are numbers. */
export function requestSha256(terms: Omit<PrincipalTerms, 'payoutWallet'>): string {
  return digestOf({
    type: PRINCIPAL_REQUEST_TYPE,
    payout_id: terms.payoutId,
    recipient: lowerHex(terms.recipient),
    amount_atomic: terms.amountAtomic,
    expires_at: terms.expiresAt,
    idempotency_key: terms.idempotencyKey,
    chain_id: CHAIN_ID,
    asset: lowerHex(terms.asset),
  })
}

const lowerHex = (address: string): Hex => address.toLowerCase() as Hex
