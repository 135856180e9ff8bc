import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  amountOf,
  asPaymentHeader,
  assertAnswers,
  boundText,
  type ChargedCall,
  chargeFor,
  type MppChallenge,
  parseCredential,
  shownChallenge,
  type Unsigned,
} from '#domain/payments/mpp.ts'
import { invalidPayment, type PaymentTerms } from '#domain/payments/payment.ts'

/** The MPP part of the price gate. Challenges are recognised by their HMAC, so none is stored. */
export type Mpp = {
  /** Offers x402 terms as a challenge for one call; `now` is Postgres' clock in Unix seconds. */
  challenge(terms: PaymentTerms, call: ChargedCall, now: number): MppChallenge
  /** The payment in a credential, as the text of PAYMENT-SIGNATURE; 402 `payment_invalid` for one that does not answer a challenge for this call. */
  accept(credential: string, call: ChargedCall, now: number): string
}

export type MppSettings = {
  readonly baseUrl: string
  /** The secret of new challenges first, then those of earlier ones. */
  readonly secrets: () => readonly [string, ...string[]]
  readonly requirements: (of: { price: bigint }) => PaymentTerms
}

export function createMpp({ baseUrl, secrets, requirements }: MppSettings): Mpp {
  const realm = new URL(baseUrl).host
  const idBy = (secret: string, challenge: Unsigned): string =>
    createHmac('sha256', secret).update(boundText(challenge)).digest('base64url')
  const isOurs = (id: string, challenge: Unsigned): boolean =>
    secrets().some((secret) => isEqual(idBy(secret, challenge), id))
  return {
    challenge: (terms, call, now) => {
      const expires = rfc3339(now + terms.maxTimeoutSeconds)
      const challenge = chargeFor(realm, terms, call, expires)
      return shownChallenge(idBy(secrets()[0], challenge), challenge)
    },
    accept: (header, call, now) => {
      const credential = parseCredential(header)
      const { id, expires } = credential.challenge
      const terms = requirements({ price: amountOf(credential) ?? 0n })
      const expected = chargeFor(realm, terms, call, expires)
      assertAnswers(credential, expected)
      if (!isOurs(id, expected))
        throw invalidPayment('the challenge was not made here, or was changed')
      if (Date.parse(expires) <= now * 1000) throw invalidPayment('the challenge has expired')
      return asPaymentHeader(credential, terms)
    },
  }
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** Whole seconds, as the window of an authorization counts them. */
const rfc3339 = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
