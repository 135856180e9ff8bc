export type PaymentSnapshot = {
  paymentId: string
  state: 'claimed' | 'settling' | 'settled' | 'failed' | 'pending' | 'released'
  payer: string
  amountUsdc: string
  operation: string
  transactionHash: string | null
  /** No step is left: settled and final on chain, failed, or released. */
  finished: boolean
  failure: string | null
}

/** Steps of one x402 settlement; each may run twice. */
export interface PaymentSteps {
  submitPayment(paymentId: string): Promise<PaymentSnapshot>
  confirmPayment(paymentId: string): Promise<PaymentSnapshot>
}
