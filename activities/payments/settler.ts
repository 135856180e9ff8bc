import type { FacilitatorClient } from '@x402/core/http'
import type { Hex } from '#domain/core/ids.ts'
import type { PaymentTerms } from '#domain/payments/payment.ts'
import type { TokenAuthorization } from '../chain/authorization.ts'
import type { CheckTransfer } from '../chain/preflight.ts'
import type { PaymentRow } from '../store/payments/payments.ts'
import { payloadOf } from './facilitator.ts'

/** The result of sending a payment. It is only a hint: the logs of the chain are the source of truth. */
type SettleHint = { ok: true } | { ok: false; reason: string }

/** Sends a claimed payment; a repeat joins the stored transaction. Never throws. */
export type Settler = { settle(row: SettledRow): Promise<SettleHint> }

export type SettledRow = Pick<
  PaymentRow,
  | 'payer'
  | 'pay_to'
  | 'amount_atomic'
  | 'valid_after'
  | 'valid_before'
  | 'authorization_nonce'
  | 'signature'
  | 'requirements'
>

/** `preflight` saves the gas of a transfer that would revert; a remote facilitator pays its own gas and needs none. */
export type SettlerDeps = {
  readonly facilitator: Pick<FacilitatorClient, 'settle'>
  readonly preflight?: CheckTransfer
  readonly timeoutMs?: number
}

/** A settler over a facilitator, limited to 2 s. A slower settlement continues in the background, and a repeat joins it. */
export function createSettler({ facilitator, preflight, timeoutMs = 2_000 }: SettlerDeps): Settler {
  const send = async (row: SettledRow): Promise<SettleHint> => {
    const authorization = paymentAuthorization(row)
    const signature = row.signature as Hex
    const check = await preflight?.(authorization, signature)
    if (check?.kind === 'used') return { ok: true }
    if (check?.kind === 'parked') return { ok: false, reason: check.reason }
    const terms = row.requirements as PaymentTerms
    const answer = await facilitator.settle(payloadOf(terms, authorization, signature), {
      ...terms,
    })
    return answer.success
      ? { ok: true }
      : { ok: false, reason: answer.errorReason ?? 'the facilitator gave no reason' }
  }
  return {
    settle: async (row) => {
      const late = new AbortController()
      const timeout = new Promise<SettleHint>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs, {
          ok: false,
          reason: 'the settlement is still under way',
        })
        late.signal.addEventListener('abort', () => clearTimeout(timer))
      })
      const sent = send(row).catch(
        (error: unknown): SettleHint => ({
          ok: false,
          reason: error instanceof Error ? error.message.slice(0, 200) : 'the settlement failed',
        }),
      )
      return Promise.race([sent, timeout]).finally(() => late.abort())
    },
  }
}

/** The last authorization of a payment. The payment has failed once the chain proves that no signature over its nonce can be used. */
export const lastAuthorization = (
  row: SettledRow & Pick<PaymentRow, 'last_valid_before'>,
): TokenAuthorization => ({
  ...paymentAuthorization(row),
  validBefore: BigInt(row.last_valid_before),
})

/** The EIP-3009 authorization that a payment row holds. */
function paymentAuthorization(row: SettledRow): TokenAuthorization {
  return {
    from: row.payer as Hex,
    to: row.pay_to as Hex,
    value: BigInt(row.amount_atomic),
    validAfter: BigInt(row.valid_after),
    validBefore: BigInt(row.valid_before),
    nonce: row.authorization_nonce as Hex,
  }
}
