import type { PaymentInstrument } from './mandates.ts'

/** The type of the payment instruments that settle here. */
const WALLET_TYPE = 'allowance_wallet'

/** The rail that a payment mandate names: an allowance wallet, or one that settles nothing here. */
export type PaymentRail =
  | { readonly kind: 'wallet'; readonly walletId: string }
  | { readonly kind: 'none' }

export function railOf({ type, id }: PaymentInstrument): PaymentRail {
  if (type === WALLET_TYPE && /^aw_[0-9a-f]{64}$/.test(id)) return { kind: 'wallet', walletId: id }
  return { kind: 'none' }
}

/** Why a payment by a mandate that names another rail stays pending. */
export const settlesNothing = 'the mandate names no rail that settles here'
