import { privateKeyToAccount } from 'viem/accounts'
import { payoutId as payoutIdOf, transferNonce } from '#domain/core/ids.ts'
import { termsDigest } from '#domain/payouts/payout.ts'
import type { SigningOrder, SigningPolicy } from '../../activities/payouts/signing-rules.ts'
import {
  authorizedPayout,
  createdPayout,
  type NewPayout,
  type PayoutRow,
} from '../../activities/store/payouts/payouts.ts'
import { reservedTransfer } from '../../activities/store/payouts/transfers.ts'
import { newWallet } from './chain.ts'
import { signSeeded } from './payout-rows.ts'

const EXPIRES_AT = 4_000_000_000
const principal = privateKeyToAccount(newWallet().privateKey)
const asset = newWallet().address
export const payoutWallet = newWallet()

type Rows = Pick<SigningOrder, 'payout' | 'transfer'>
/** `again` makes the rows for other terms, all derived values computed for them, with the signature over the first terms. */
export type Order = SigningOrder & { again(change: Partial<PayoutRow>): Rows }

/** A payout of 5 USDC that the principal signed, its transfer, and what else the signer is given. */
export async function signedOrder(): Promise<Order> {
  const { address: creator } = newWallet()
  const { address: recipient } = newWallet()
  const usage = 'synthetic' as const
  const terms = {
    recipient,
    amount_atomic: '5000000',
    memo: 'm',
    rail_reference: 'r',
    usage,
    asset,
  }
  const signature = await signSeeded(
    principal,
    identified({ ...terms, creator, idempotency_key: 'k' }),
    EXPIRES_AT,
  )
  const again = (change: Partial<PayoutRow>): Rows => {
    const { principal_signature = signature, ...changed } = change
    const named = identified({ ...terms, creator, idempotency_key: 'k', ...changed })
    const authority = {
      expiresAt: EXPIRES_AT,
      idempotencyKey: 'a',
      fingerprint: 'f',
      mandateRef: 'm',
      principalSignature: principal_signature,
    }
    const payout = authorizedPayout(createdPayout(named, new Date()), authority, new Date())
    const nonce = transferNonce(asset, payout.payout_id)
    return {
      payout,
      transfer: reservedTransfer(payout, { nonce, validBefore: EXPIRES_AT, callId: 'c' }, 0),
    }
  }
  return { ...again({}), inUse: 5_000_000n, again }
}

/** Orders of as many payouts. */
export const signedOrders = (count: number): Promise<Order[]> =>
  Promise.all(Array.from({ length: count }, signedOrder))

function identified(
  row: Omit<NewPayout, 'payout_id' | 'payout_wallet' | 'terms_sha256'>,
): NewPayout {
  const payout_id = payoutIdOf(row.creator, row.idempotency_key)
  return { ...row, payout_id, payout_wallet: payoutWallet.address, terms_sha256: termsDigest(row) }
}

/** A signer's configuration under which the order is signed. */
export const signingPolicy: SigningPolicy = {
  asset,
  payoutWallet: payoutWallet.address,
  principal: principal.address.toLowerCase() as `0x${string}`,
  payoutMaxAtomic: 25_000_000n,
  dailyCapAtomic: 100_000_000n,
  canary: undefined,
}
