import {
  encodePaymentRequiredHeader,
  encodePaymentResponseHeader,
  type FacilitatorClient,
} from '@x402/core/http'
import { x402ResourceServer } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import type { Address } from 'viem'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import { ASSET_NAME, ASSET_VERSION, limits, NETWORK } from '#domain/core/limits.ts'
import { challengeHeader, type MppChallenge, receiptHeader } from '#domain/payments/mpp.ts'
import {
  checkPaymentWindow,
  invalidPayment,
  type PaymentTerms,
  type StrictPayment,
} from '#domain/payments/payment.ts'
import type { PaymentRow } from '../store/payments/payments.ts'
import { INSUFFICIENT_BALANCE, payloadOf } from './facilitator.ts'
import { type PaymentHeaders, readPaymentHeader } from './payment-header.ts'

/** What a price gate needs to know of an operation: atomic units of the asset for one call, and where it is called. */
type Priced = {
  readonly summary: string
  readonly price: bigint | null
  readonly http: { readonly path: string }
}

/** The x402 v2 part of the price gate. */
export type Offers = {
  readonly asset: Address
  /** The terms of one call, as they stand in `accepts`. */
  requirements(priced: Pick<Priced, 'price'>): PaymentTerms
  /** The 402 refusal with the offer in it; `more` are further members of the problem body, such as `debt`. */
  paymentRequired(priced: Priced, detail: string, more?: Record<string, unknown>): DomainError
  /** The error, with the offer in it where it is 402 `payment_invalid`. */
  withOffer(priced: Priced, error: unknown): unknown
  /** The payment of a request, parsed strictly; undefined without one, 402 `payment_invalid` for any other form or other terms. */
  readPayment(headers: PaymentHeaders, priced: Priced): StrictPayment | undefined
  /** Throws 402 `payment_invalid`, or 503 `unavailable` when the chain or the facilitator gave no verdict; `now` is Postgres' clock in Unix seconds. */
  verify(payment: StrictPayment, now: number, priced: Priced): Promise<void>
  paymentResponse: typeof paymentResponse
}

export type OfferSettings = {
  readonly baseUrl: string
  readonly asset: Address
  readonly payTo: Address
  readonly facilitator: FacilitatorClient
  /** Seconds that a signed payment may be valid, and that it must still be valid. */
  readonly maxTimeoutSeconds: number
  readonly minRemainingSeconds: number
}

/** Builds the offer once with the x402 library; needs no network. */
export async function createOffers(settings: OfferSettings): Promise<Offers> {
  const server = new x402ResourceServer(settings.facilitator).register(
    NETWORK,
    new ExactEvmScheme(),
  )
  await server.initialize()
  const offer = await buildOffer(server, settings)
  const requirements = ({ price }: Pick<Priced, 'price'>): PaymentTerms => ({
    ...offer,
    amount: (price ?? 0n).toString(),
  })
  const offering = (
    refusal: Refusal,
    priced: Priced,
    more: Record<string, unknown> = {},
  ): DomainError => {
    const resource = {
      url: settings.baseUrl + priced.http.path,
      description: priced.summary,
      mimeType: 'application/json',
    }
    return new DomainError({
      ...refusal,
      extra: {
        x402Version: 2,
        resource,
        accepts: [requirements(priced)],
        accepted_methods: ['x402_reference'],
        ...more,
      },
    })
  }
  const withOffer = (priced: Priced, error: unknown) =>
    error instanceof DomainError && error.refusal.code === 'payment_invalid'
      ? offering(error.refusal, priced)
      : error
  return {
    asset: settings.asset,
    requirements,
    withOffer,
    paymentRequired: (priced, detail, more) =>
      offering(
        refuse('payment_required', {
          detail,
          next_action:
            'Sign one of the offers in `accepts` and repeat the call with PAYMENT-SIGNATURE.',
        }).refusal,
        priced,
        more,
      ),
    readPayment: (headers, priced) => {
      try {
        return readPaymentHeader(headers, requirements(priced))
      } catch (error) {
        throw withOffer(priced, error)
      }
    },
    verify: (payment, now, priced) =>
      verify(server, payment, now, settings.minRemainingSeconds).catch((error: unknown) => {
        throw withOffer(priced, error)
      }),
    paymentResponse,
  }
}

type Settled = Pick<PaymentRow, 'transaction_hash' | 'payer' | 'settled_at' | 'changed_at'>

/** A settled payment as x402 and as MPP say it: PAYMENT-RESPONSE and Payment-Receipt. */
export function paymentResponse({
  transaction_hash,
  payer,
  settled_at,
  changed_at,
}: Settled): Record<string, string> {
  const transaction = transaction_hash ?? ''
  const settled = { success: true, transaction, network: NETWORK, payer } as const
  const timestamp = (settled_at ?? changed_at).toISOString()
  return {
    'PAYMENT-RESPONSE': encodePaymentResponseHeader(settled),
    'Payment-Receipt': receiptHeader({
      method: 'evm',
      status: 'success',
      reference: transaction,
      timestamp,
    }),
  }
}

/** The headers of a 402 refusal made by an offer: PAYMENT-REQUIRED with the offer, and MPP's challenges where it has any; none for any other refusal. */
export function paymentRequiredHeaders({ detail, extra }: Refusal): Record<string, string> {
  if (extra?.['accepts'] === undefined) return {}
  const { resource, accepts, payment_challenges } = extra as Offered
  const required = {
    x402Version: 2,
    error: detail,
    resource,
    accepts: accepts.map((terms) => ({ ...terms })),
  }
  return {
    'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required),
    'Cache-Control': 'no-store',
    ...(payment_challenges === undefined
      ? {}
      : { 'WWW-Authenticate': payment_challenges.map(challengeHeader).join(', ') }),
  }
}

/** What the body of such a refusal has. */
type Offered = {
  resource: { url: string }
  accepts: PaymentTerms[]
  payment_challenges?: MppChallenge[]
}

async function buildOffer(
  server: x402ResourceServer,
  { asset, payTo, maxTimeoutSeconds }: OfferSettings,
): Promise<PaymentTerms> {
  const price = {
    asset,
    amount: limits.priceAtomic.toString(),
    extra: { name: ASSET_NAME, version: ASSET_VERSION },
  }
  const [offer] = await server.buildPaymentRequirements({
    scheme: 'exact',
    network: NETWORK,
    payTo,
    price,
    maxTimeoutSeconds,
  })
  if (offer === undefined) throw new Error('the x402 library built no offer')
  return offer
}

async function verify(
  server: x402ResourceServer,
  payment: StrictPayment,
  now: number,
  minRemaining: number,
): Promise<void> {
  checkPaymentWindow(payment, now, minRemaining)
  const { payer, payTo, value, validAfter, validBefore, nonce, signature, accepted } = payment
  const payload = payloadOf(
    accepted,
    { from: payer, to: payTo, value, validAfter, validBefore, nonce },
    signature,
  )
  const verdict = await server.verifyPayment(payload, { ...accepted }).catch(() => {
    throw refuse('unavailable', {
      detail: 'the payment cannot be verified while the chain does not answer',
      next_action: 'Repeat the same call later.',
      money_moved: 'no',
      retry_after_ms: 1000,
    })
  })
  if (verdict.isValid) return
  if (verdict.invalidReason === INSUFFICIENT_BALANCE)
    throw invalidPayment(
      `the payer ${payer} holds less than the ${value} atomic units that it pays`,
    )
  throw invalidPayment(`the payment does not verify: ${verdict.invalidReason ?? 'no reason given'}`)
}
