import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { MANDATE_REQUEST_TYPE } from '#domain/payments/payment-reference.ts'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { PRINCIPAL_REQUEST_TYPE } from '#domain/payouts/principal-authorization.ts'
import { standingAt } from '#domain/receipts/key-standing.ts'
import { decodeCompact, type SigningKey, signCompact, verifyCompact } from './compact.ts'
import type { KeyWithTimes } from './key-status.ts'

/** `typ` of the checkout that payout-challenge signs. */
export const CHECKOUT_TYP = 'service-checkout+jwt'
/** The subject of a checkout and its price in US cents. */
export type Order = { readonly kind: 'payout' | 'payment'; readonly cents: number }

/** The API fee of a payout; the principal is never part of a checkout (wire-facts §2.4 step 1). */
const payoutOrder: Order = { kind: 'payout', cents: 10 }

const orders = {
  payout: {
    requestType: PRINCIPAL_REQUEST_TYPE,
    line: 'fee',
    item: 'api.payout-authorize',
    title: 'Payout authorize API fee',
    merchant: { id: 'service-payout-rail', name: 'Service Payout Rail' },
  },
  payment: {
    requestType: MANDATE_REQUEST_TYPE,
    line: 'credit',
    item: 'rail.credit',
    title: 'Credit for rail runs',
    merchant: { id: 'service-agent-rails', name: 'Service Agent Rails' },
  },
} as const

const cents = z.int().min(1)
const total = z.tuple([z.strictObject({ type: z.literal('total'), amount: cents })])

/** The claims of a checkout: who sells what for how much, salted, and the digest of the payout or payment it is for. */
const checkoutSchema = z.strictObject({
  iss: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().min(22),
  salt: z.string().min(22),
  order_id: z.string(),
  merchant: z.strictObject({ id: z.string(), name: z.string(), website: z.string() }),
  line_items: z.tuple([
    z.strictObject({
      id: z.enum(['fee', 'credit']),
      item: z.strictObject({ id: z.string(), title: z.string(), price: cents }),
      quantity: z.literal(1),
      totals: total,
    }),
  ]),
  currency: z.literal('USD'),
  totals: total,
  request_digest: z.strictObject({
    type: z.enum([PRINCIPAL_REQUEST_TYPE, MANDATE_REQUEST_TYPE]),
    alg: z.literal('sha-256'),
    value: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})
export type CheckoutClaims = z.output<typeof checkoutSchema>

/** A random 128-bit text, base64url. */
export const randomText = (): string => randomBytes(16).toString('base64url')

/** Signs a checkout for the request with this digest; ES256 and a salt, since its hash must not be guessable (AP2). */
export async function signCheckout(
  key: SigningKey,
  facts: { origin: string; requestSha256: string; iat: number; exp: number; order?: Order },
): Promise<{ checkoutJwt: string; checkoutHash: string; jti: string }> {
  const { origin, requestSha256, iat, exp, order = payoutOrder } = facts
  const { requestType, line, item, title, merchant } = orders[order.kind]
  const totals: [{ type: 'total'; amount: number }] = [{ type: 'total', amount: order.cents }]
  const jti = randomText()
  const payload: CheckoutClaims = {
    iss: origin,
    iat,
    exp,
    jti,
    salt: randomText(),
    order_id: `${order.kind}:${requestSha256}`,
    merchant: { ...merchant, website: origin },
    line_items: [{ id: line, item: { id: item, title, price: order.cents }, quantity: 1, totals }],
    currency: 'USD',
    totals,
    request_digest: { type: requestType, alg: 'sha-256', value: requestSha256 },
  }
  const checkoutJwt = await signCompact(key, { typ: CHECKOUT_TYP, payload })
  return { checkoutJwt, checkoutHash: sha256Base64url(checkoutJwt), jti }
}

/** The total in cents that a checkout names; nothing is verified. */
export function totalOf(jws: string): number {
  return z.looseObject({ totals: total }).parse(decodeCompact(jws).payload).totals[0].amount
}

/**
 * The claims of a checkout for this order that one of our checkout keys signed; throws for any other. Expiry and request are the
 * caller's to judge.
 */
export function readCheckout(
  jws: string,
  {
    keys,
    origin,
    order = payoutOrder,
  }: { keys: readonly KeyWithTimes[]; origin: string; order?: Order },
): CheckoutClaims {
  const { kid } = decodeCompact(jws).header
  const key = keys.find((known) => known.kid === kid)
  if (key === undefined) throw new TypeError('no checkout key of this service has its kid')
  const claims = checkoutSchema.parse(
    verifyCompact(jws, { typ: CHECKOUT_TYP, alg: 'ES256', publicJwk: key.publicJwk }),
  )
  if (claims.iss !== origin) throw new TypeError('its issuer is another service')
  if (standingAt(key, claims.iat) !== 'active')
    throw new TypeError('its key is revoked, or was retired before')
  const { type, value } = claims.request_digest
  if (claims.order_id !== `${order.kind}:${value}` || type !== orders[order.kind].requestType)
    throw new TypeError('its order is for another request')
  const [line] = claims.line_items
  const amounts = [line.item.price, line.totals[0].amount, claims.totals[0].amount]
  if (amounts.some((amount) => amount !== order.cents))
    throw new TypeError('its order is for another amount')
  return claims
}
