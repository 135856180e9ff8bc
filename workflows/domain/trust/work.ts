import { NETWORK } from '../core/limits.ts'

/** Work that a wallet names: a free call that succeeded, or a payment that settled. */
export type Work =
  | { kind: 'wallet_free_call'; nonce: string }
  | { kind: 'settled_payment'; payment_id: string }

/** The text that names one piece of work; of one wallet it names exactly one. */
export const workId = (work: Work): string =>
  `${work.kind}:${work.kind === 'wallet_free_call' ? work.nonce : work.payment_id}`

/** A payment as the rows of the service have it. */
type PaymentFacts = {
  payment_id: string
  network: string
  asset: string
  payer: string
  pay_to: string
  amount_atomic: string
  transaction_hash: string
  block_number: number
}

/** What the rows of the service prove about a piece of work; members that the work does not have are null. */
export type WorkFacts = {
  outcome: 'succeeded' | 'settled'
  operation: string | null
  path: string | null
  body_sha256: string | null
  status: number | null
  /** Unix seconds. */
  at: number
  payment: PaymentFacts | null
}

/** The CAIP-10 account of a wallet. */
export const accountOf = (wallet: string): string => `${NETWORK}:${wallet.toLowerCase()}`
