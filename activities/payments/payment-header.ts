import { strictJson } from '#domain/core/json-text.ts'
import {
  invalidPayment,
  type PaymentTerms,
  parsePayment,
  type StrictPayment,
} from '#domain/payments/payment.ts'

/** Header names are lowercase; a doubled header is an array, or one text joined by commas. */
export type PaymentHeaders = Readonly<Record<string, string | string[] | undefined>>

/** A payment that a call carries, as the text of PAYMENT-SIGNATURE; it is read where it is presented. */
export type CarriedPayment = () => Promise<string>

const HEADER_CHARS_MAX = 8192
const standardBase64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2,3}={1,2}$/

/**
 * The payment of a request as x402 v2 carries it: one PAYMENT-SIGNATURE header of standard base64 JSON. Undefined without
 * one; any other form, and version 1's X-PAYMENT, is 402 `payment_invalid`.
 */
export function readPaymentHeader(
  headers: PaymentHeaders,
  offer: PaymentTerms,
): StrictPayment | undefined {
  if (headers['x-payment'] !== undefined)
    throw invalidPayment('X-PAYMENT is the header of x402 version 1')
  const raw = headers['payment-signature']
  if (raw === undefined) return undefined
  if (typeof raw !== 'string' || raw.includes(','))
    throw invalidPayment('PAYMENT-SIGNATURE is there more than once')
  if (raw.length > HEADER_CHARS_MAX) throw invalidPayment('PAYMENT-SIGNATURE is too long')
  if (!standardBase64.test(raw)) throw invalidPayment('PAYMENT-SIGNATURE is not standard base64')
  return parsePayment(decodeJson(raw), raw, offer)
}

function decodeJson(raw: string): unknown {
  try {
    return strictJson(Buffer.from(raw, 'base64'))
  } catch {
    throw invalidPayment('PAYMENT-SIGNATURE is not base64 of JSON that names each member once')
  }
}
