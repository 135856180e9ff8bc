import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { sha256Base64url } from '../../workflows/domain/holder-binding.ts'
import { PRINCIPAL_REQUEST_TYPE } from '../../workflows/domain/principal-authorization.ts'
import { decodeCompact, type SigningKey, signCompact, verifyCompact } from './compact.ts'
import type { RingPublicKey } from './key-ring.ts'

/** `typ` of the checkout that payout-challenge signs. */
export const CHECKOUT_TYP = 'service-checkout+jwt'
/** The API fee in US cents; the principal never stands in a checkout (wire-facts §2.4 step 1). */
const FEE_CENTS = 10

const total = z.tuple([z.strictObject({ type: z.literal('total'), amount: z.literal(FEE_CENTS) })])

/** The claims of a checkout: who sells what for 10 cents, salted, and the digest of the payout it is for. */
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
      id: z.literal('fee'),
      item: z.strictObject({ id: z.string(), title: z.string(), price: z.literal(FEE_CENTS) }),
      quantity: z.literal(1),
      totals: total,
    }),
  ]),
  currency: z.literal('USD'),
  totals: total,
  request_digest: z.strictObject({
    type: z.literal(PRINCIPAL_REQUEST_TYPE),
    alg: z.literal('sha-256'),
    value: z.string().regex(/^[0-9a-f]{64}$/),
  }),
})
export type CheckoutClaims = z.output<typeof checkoutSchema>

/** A random 128-bit text, base64url. */
export const randomText = (): string => randomBytes(16).toString('base64url')

/** Signs a checkout for the payout request with this digest; ES256 and a salt, since its hash must not be guessable (AP2). */
export function signCheckout(
  key: SigningKey,
  { origin, requestSha256, iat, exp }: { origin: string; requestSha256: string; iat: number; exp: number },
): { checkoutJwt: string; checkoutHash: string; jti: string } {
  const jti = randomText()
  const payload: CheckoutClaims = {
    iss: origin,
    iat,
    exp,
    jti,
    salt: randomText(),
    order_id: `payout:${requestSha256}`,
    merchant: { id: 'service-payout-rail', name: 'Service Payout Rail', website: origin },
    line_items: [
      {
        id: 'fee',
        item: { id: 'api.payout-authorize', title: 'Payout authorize API fee', price: FEE_CENTS },
        quantity: 1,
        totals: [{ type: 'total', amount: FEE_CENTS }],
      },
    ],
    currency: 'USD',
    totals: [{ type: 'total', amount: FEE_CENTS }],
    request_digest: { type: PRINCIPAL_REQUEST_TYPE, alg: 'sha-256', value: requestSha256 },
  }
  const checkoutJwt = signCompact(key, { typ: CHECKOUT_TYP, payload })
  return { checkoutJwt, checkoutHash: sha256Base64url(checkoutJwt), jti }
}

/** The claims of a checkout that one of our checkout keys signed; throws for any other. Expiry and request are the caller's to judge. */
export function readCheckout(
  jws: string,
  { keys, origin }: { keys: readonly RingPublicKey[]; origin: string },
): CheckoutClaims {
  const { kid } = decodeCompact(jws).header
  const key = keys.find((known) => known.kid === kid)
  if (key === undefined) throw new TypeError('no checkout key of this service has its kid')
  const claims = checkoutSchema.parse(verifyCompact(jws, { typ: CHECKOUT_TYP, alg: 'ES256', publicJwk: key.publicJwk }))
  if (claims.iss !== origin) throw new TypeError('its issuer is another service')
  if (claims.order_id !== `payout:${claims.request_digest.value}`)
    throw new TypeError('its order is for another request')
  return claims
}
