import type { PaymentInstrument } from './mandates.ts'

/** The types of the payment instruments that settle here. */
const WALLET_TYPE = 'allowance_wallet'
const X402_TYPE = 'x402'

/** The rail that a payment mandate names: an allowance wallet, an x402 payment by an address, or one that settles nothing here. */
export type PaymentRail =
  | { readonly kind: 'wallet'; readonly walletId: string }
  | { readonly kind: 'x402'; readonly payer: string }
  | { readonly kind: 'none' }

export function railOf({ type, id }: PaymentInstrument): PaymentRail {
  if (type === WALLET_TYPE && /^aw_[0-9a-f]{64}$/.test(id)) return { kind: 'wallet', walletId: id }
  if (type === X402_TYPE && /^0x[0-9a-fA-F]{40}$/.test(id))
    return { kind: 'x402', payer: id.toLowerCase() }
  return { kind: 'none' }
}

/** Why a payment by a mandate that names another rail stays pending. */
export const settlesNothing = 'the mandate names no rail that settles here'
