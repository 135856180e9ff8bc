import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64, base64urlnopad } from '@scure/base'
import { keccak256, stringToHex } from 'viem'
import { z } from 'zod'
import { canonicalJson } from '../core/canonical-json.ts'
import type { Hex } from '../core/ids.ts'
import { ASSET_DECIMALS, CHAIN_ID, NETWORK } from '../core/limits.ts'
import { objectIn } from '../core/strict-json.ts'
import { invalidPayment, type PaymentTerms } from './payment.ts'

/**
 * MPP, the machine payments protocol: the HTTP authentication scheme "Payment" (draft-httpauth-payment-01), here with the method `evm`
 * and the intent `charge`, which an EIP-3009 authorization pays.
 */
export type MppChallenge = {
  readonly id: string
  readonly realm: string
  readonly method: 'evm'
  readonly intent: 'charge'
  readonly request: ChargeRequest
  /** RFC 3339. */
  readonly expires: string
  /** Of the body that is paid for; absent where there is none. */
  readonly digest?: string
  /** The request header of the credential, where it is not Authorization. */
  readonly header?: string
  /** Base64url of JSON that names the call. */
  readonly opaque: string
}

type ChargeRequest = {
  readonly amount: string
  readonly currency: string
  readonly methodDetails: {
    readonly chainId: number
    readonly credentialTypes: readonly ['authorization']
    readonly decimals: number
  }
  readonly recipient: string
}

/** What one challenge is for: a call, by its id, its body and where its credential comes. */
export type ChargedCall = {
  readonly callId: string
  readonly body: Uint8Array | null
  readonly header: 'Authorization' | 'Payment-Authorization'
}

/** A challenge as the credential repeats it: its request is base64url, as in the header. */
type EchoedChallenge = Omit<MppChallenge, 'request'> & { readonly request: string }
export type Unsigned = Omit<EchoedChallenge, 'id'>

/** The challenge of these x402 terms for one call, without its id; `expires` is RFC 3339. */
export function chargeFor(
  realm: string,
  terms: PaymentTerms,
  { callId, body, header }: ChargedCall,
  expires: string,
): Unsigned {
  return {
    realm,
    method: 'evm',
    intent: 'charge',
    request: encoded(requestOf(terms)),
    expires,
    ...(body === null ? {} : { digest: `sha-256=${base64.encode(sha256(body))}` }),
    ...(header === 'Authorization' ? {} : { header }),
    opaque: encoded({ call_id: callId }),
  }
}

const requestOf = ({ amount, asset, payTo }: PaymentTerms): ChargeRequest => ({
  amount,
  currency: asset,
  methodDetails: {
    chainId: CHAIN_ID,
    credentialTypes: ['authorization'],
    decimals: ASSET_DECIMALS,
  },
  recipient: payTo,
})

const encoded = (value: object): string => base64urlnopad.encode(utf8ToBytes(canonicalJson(value)))

/** The text whose HMAC is the id of a challenge: fixed places, so that no two challenges share it (§5.1.2.1.1; mppx adds the header). */
export function boundText(challenge: Unsigned): string {
  const { realm, method, intent, request, expires, digest = '', header, opaque } = challenge
  const named = header === undefined ? [] : [header]
  return [realm, method, intent, request, expires, digest, ...named, opaque].join('|')
}

/** The EIP-3009 nonce that pays a challenge; it binds the payment to that challenge, and so to its call. */
export const challengeNonce = ({ id, realm }: Pick<MppChallenge, 'id' | 'realm'>): Hex =>
  keccak256(stringToHex(`${id}${realm}`))

/** A challenge as bodies and MCP show it. */
export function shownChallenge(id: string, { request, ...others }: Unsigned): MppChallenge {
  return { id, ...others, request: objectIn(request) as ChargeRequest }
}

/** The value of WWW-Authenticate; no member needs an escape. */
export function challengeHeader({ request, ...others }: MppChallenge): string {
  const members = Object.entries({ ...others, request: encoded(request) })
  return `Payment ${members.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

const text = z.string().max(2048)
const credentialSchema = z.strictObject({
  challenge: z.strictObject({
    // As this service makes it: the HMAC is compared as bytes of one length.
    id: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    realm: text,
    method: text,
    intent: text,
    request: text,
    expires: z.iso.datetime({ precision: 0 }),
    digest: text.optional(),
    header: text.optional(),
    opaque: text,
  }),
  payload: z.strictObject({
    type: z.literal('authorization'),
    from: text,
    to: text,
    value: text,
    validAfter: text,
    validBefore: text,
    nonce: text,
    signature: text,
  }),
  source: text.optional(),
})
export type MppCredential = z.output<typeof credentialSchema>

/** Reads a credential, `Payment <base64url of JSON>`; 402 `payment_invalid` for any other form. */
export function parseCredential(header: string): MppCredential {
  const [, token = ''] = /^Payment +([A-Za-z0-9_-]+)$/i.exec(header) ?? []
  const parsed = credentialSchema.safeParse(objectIn(token))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalidPayment(
    `/${issue?.path.join('/') ?? ''} has another form than a Payment credential by EIP-3009 authorization`,
  )
}

/** A credential as MCP has it, with the request of its challenge as JSON, as the text of its header; other values give one that is refused. */
export function credentialHeader(value: unknown): string {
  const { challenge, ...others } = Object(value)
  const { request, ...members } = Object(challenge)
  try {
    const echoed = { ...members, request: encoded(Object(request)) }
    return `Payment ${encoded({ ...others, challenge: echoed })}`
  } catch {
    return 'Payment -'
  }
}

/** The amount that a challenge asks for; undefined where its request is none of ours. */
export function amountOf({ challenge }: MppCredential): bigint | undefined {
  const amount = objectIn(challenge.request)?.['amount']
  return typeof amount === 'string' && /^[1-9][0-9]{0,77}$/.test(amount)
    ? BigInt(amount)
    : undefined
}

/** Why a member of the echoed challenge is not that of this call. */
const mismatches = {
  realm: 'the challenge is of another service',
  method: 'the challenge is not of the method evm',
  intent: 'the challenge is not of the intent charge',
  header: 'the challenge asks for the credential in another header',
  opaque: 'the challenge is for another call',
  digest: 'the challenge is for another body',
  request: 'the challenge asks for other terms than this service offers',
} as const

/** Throws 402 `payment_invalid` with the member that differs, unless the credential answers the expected challenge and is for its nonce. */
export function assertAnswers(
  { challenge, payload, source }: MppCredential,
  expected: Unsigned,
): void {
  const members = Object.keys(mismatches) as (keyof typeof mismatches)[]
  const other = members.find((name) => challenge[name] !== expected[name])
  if (other !== undefined) throw invalidPayment(mismatches[other])
  if (payload.nonce.toLowerCase() !== challengeNonce(challenge))
    throw invalidPayment('the nonce of the authorization is not the one of its challenge')
  const payer = `did:pkh:${NETWORK}:${payload.from}`.toLowerCase()
  if (source !== undefined && source.toLowerCase() !== payer)
    throw invalidPayment('the source is another account than the one that pays')
}

/** The payment of a credential as x402 carries it, so that both ways are read, verified and settled by the same code. */
export function asPaymentHeader({ payload }: MppCredential, accepted: PaymentTerms): string {
  const { type: _type, signature, ...authorization } = payload
  const payment = { x402Version: 2, accepted, payload: { authorization, signature } }
  return base64.encode(utf8ToBytes(JSON.stringify(payment)))
}

export type MppReceipt = {
  readonly method: 'evm'
  readonly status: 'success'
  /** The hash of the transaction. */
  readonly reference: string
  /** RFC 3339. */
  readonly timestamp: string
}

/** The value of Payment-Receipt. */
export const receiptHeader = (receipt: MppReceipt): string => encoded(receipt)
