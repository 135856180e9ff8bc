import { z } from 'zod'
import { digestOf } from '../core/canonical-json.ts'
import { refuse } from '../core/errors.ts'
import { type Hex, paymentId } from '../core/ids.ts'

/** One entry of `accepts` (x402 v2): amount in atomic units, addresses as offered. */
export type PaymentTerms = {
  readonly scheme: string
  readonly network: `${string}:${string}`
  readonly asset: string
  readonly amount: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: Record<string, unknown>
}

/** A payment that holds nothing but what was read: hex lowercase, atomic units, times in Unix seconds. */
export type StrictPayment = {
  readonly paymentId: string
  readonly payer: Hex
  readonly payTo: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
  readonly accepted: PaymentTerms
  /** The header's text. */
  readonly raw: string
}

/** Decision: an authorization that stays valid longer than this could keep its settlement unknown for as long. */
const PAYMENT_LIFE_SECONDS_MAX = 24 * 3600

const UINT256_MAX = 2n ** 256n - 1n
const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
    .transform((text) => text.toLowerCase() as Hex)
const uint256 = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,77})$/)
  .transform(BigInt)
  .refine((value) => value <= UINT256_MAX)

const paymentSchema = z.strictObject({
  x402Version: z.literal(2),
  payload: z.strictObject({
    authorization: z.strictObject({
      from: hex(40),
      to: hex(40),
      value: uint256,
      validAfter: uint256,
      validBefore: uint256,
      nonce: hex(64),
    }),
    signature: hex(130),
  }),
  accepted: z.record(z.string(), z.unknown()),
  resource: z.record(z.string(), z.unknown()).optional(),
  // A client may add some (x402 v2, 5.2.1); none was offered, so none counts.
  extensions: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Reads a decoded PAYMENT-SIGNATURE against the one offer;
 * throws 402 `payment_invalid` for any other form, other terms, another recipient or another amount.
 */
export function parsePayment(decoded: unknown, raw: string, offer: PaymentTerms): StrictPayment {
  const parsed = paymentSchema.safeParse(decoded)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalidPayment(
      `/${issue?.path.join('/') ?? ''} has another form than a payment by EIP-3009 authorization`,
    )
  }
  const { payload, accepted } = parsed.data
  if (digestOf(accepted) !== digestOf(offer))
    throw invalidPayment('the accepted terms are not the offered ones')
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
  if (to !== offer.payTo.toLowerCase())
    throw invalidPayment('the authorization pays another address')
  if (value !== BigInt(offer.amount))
    throw invalidPayment('the authorization is for another amount')
  const id = paymentId(offer.asset, from, nonce)
  return {
    paymentId: id,
    payer: from,
    payTo: to,
    value,
    validAfter,
    validBefore,
    nonce,
    signature: payload.signature,
    accepted: offer,
    raw,
  }
}

/** Checks the window against Postgres' clock in Unix seconds: valid now, for at least `minRemaining` more seconds, and with an end. */
export function checkPaymentWindow(
  { validAfter, validBefore }: StrictPayment,
  now: number,
  minRemaining: number,
): void {
  if (validAfter >= BigInt(now)) throw invalidPayment('the authorization is not valid yet')
  if (validBefore < BigInt(now + minRemaining))
    throw invalidPayment(`the authorization ends in less than ${minRemaining} seconds`)
  if (validBefore > BigInt(now + PAYMENT_LIFE_SECONDS_MAX))
    throw invalidPayment(
      `the authorization is valid for more than ${PAYMENT_LIFE_SECONDS_MAX} seconds`,
    )
}

export const invalidPayment = (detail: string) =>
  refuse('payment_invalid', {
    detail,
  })
