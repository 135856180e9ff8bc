import type { PaymentInstrument } from './mandates.ts'

/** The types of payment instruments that settle here. */
export const instrumentTypes = { wallet: 'allowance_wallet' } as const

/** The rail that a payment mandate names: an allowance wallet, or one that settles nothing here. */
export type PaymentRail =
  | { readonly kind: 'wallet'; readonly walletId: string }
  | { readonly kind: 'none' }

export function railOf({ type, id }: PaymentInstrument): PaymentRail {
  if (type === instrumentTypes.wallet && /^aw_[0-9a-f]{64}$/.test(id))
    return { kind: 'wallet', walletId: id }
  return { kind: 'none' }
}

/** Why a payment by a mandate that names another rail stays pending. */
export const settlesNothing = 'the mandate names no rail that settles here'
