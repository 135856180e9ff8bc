import { type Agent, nowSeconds, type Rail } from './agent.ts'
import { newWallet } from './chain.ts'
import { base64, type Payment, paymentHeader, signPayment, wrapErc6492 } from './payments.ts'

type Headers = Record<string, string>
type Forgery = (rail: Rail, payer: Agent) => Promise<Headers>
const changed =
  (change: (payment: Payment) => unknown): Forgery =>
  async (rail, payer) =>
    paymentHeader(change(await signPayment(rail, payer)))
const signed =
  (more: Parameters<typeof signPayment>[2]): Forgery =>
  async (rail, payer) =>
    paymentHeader(await signPayment(rail, payer, more))
const written =
  (write: (json: string) => Headers): Forgery =>
  async (rail, payer) =>
    write(JSON.stringify(await signPayment(rail, payer)))
const otherTerms = (more: Record<string, unknown>) =>
  changed((payment) => ({ ...payment, accepted: { ...payment.accepted, ...more } }))
const inPayload = (more: (payment: Payment) => Record<string, unknown>) =>
  changed((payment) => ({ ...payment, payload: { ...payment.payload, ...more(payment) } }))
const permit = {
  permitted: { token: `0x${'22'.repeat(20)}`, amount: '100000' },
  nonce: '1',
  deadline: '9999999999',
}
/** JSON whose standard base64 ends in padding, so that base64url of it reads differently. */
const padded = (json: string) => (json.length % 3 === 0 ? `${json} ` : json)

/** Payments that may not pay: what is wrong with each, and the headers that carry it with an otherwise good signature. */
export const forgeries: Record<string, Forgery> = {
  'a permit2 and an EIP-3009 authorization': inPayload(() => ({
    permit2Authorization: permit,
  })),
  'a permit2 authorization alone': changed(({ payload, ...rest }) => ({
    ...rest,
    payload: { permit2Authorization: permit, signature: payload.signature },
  })),
  'an ERC-6492 wrapper around a good signature': inPayload(({ payload }) => ({
    signature: wrapErc6492(payload.signature),
  })),
  'a surplus member in the payload': inPayload(() => ({ surplus: 1 })),
  'a surplus member in the authorization': inPayload(({ payload }) => ({
    authorization: { ...payload.authorization, surplus: 1 },
  })),
  'a number for text': inPayload(({ payload }) => ({
    authorization: { ...payload.authorization, value: 100000 },
  })),
  'version 1 of the protocol': changed((payment) => ({ ...payment, x402Version: 1 })),
  'another amount accepted': otherTerms({ amount: '1' }),
  'another payTo accepted': otherTerms({ payTo: `0x${'33'.repeat(20)}` }),
  'another network accepted': otherTerms({ network: 'eip155:84532' }),
  'another asset accepted': otherTerms({ asset: `0x${'44'.repeat(20)}` }),
  'another scheme accepted': otherTerms({ scheme: 'upto' }),
  'other extra terms accepted': otherTerms({
    extra: { name: 'USD Coin', version: '2', paymentFlow: 'upfront' },
  }),
  'an authorization to another address': signed({ to: `0x${'33'.repeat(20)}` }),
  'an authorization for less': signed({ value: '99999' }),
  'an authorization for more': signed({ value: '100001' }),
  'an authorization that is not valid yet': signed({ validAfter: String(nowSeconds() + 3600) }),
  'a signature by another wallet': async (rail, payer) =>
    paymentHeader(await signPayment(rail, newWallet(), { from: payer.address })),
  'X-PAYMENT alone': written((json) => ({ 'X-PAYMENT': base64(json) })),
  'X-PAYMENT and PAYMENT-SIGNATURE': written((json) => ({
    'X-PAYMENT': base64(json),
    'PAYMENT-SIGNATURE': base64(json),
  })),
  'a doubled PAYMENT-SIGNATURE': written((json) => ({
    'PAYMENT-SIGNATURE': `${base64(json)}, ${base64(json)}`,
  })),
  base64url: written((json) => ({
    'PAYMENT-SIGNATURE': Buffer.from(padded(json)).toString('base64url'),
  })),
  'plain JSON': written((json) => ({ 'PAYMENT-SIGNATURE': json })),
}
