import { z } from 'zod'
import { digestOf } from '../core/canonical-json.ts'
import { runUsages } from '../core/usage.ts'
import { type Work, workId } from './work.ts'

/** `typ` of a receipt passport; the receipt ring signs it. */
export const PASSPORT_TYP = 'passport+jwt'

/** `pp_` and the digest of wallet and work: one passport for each. */
export function passportId(wallet: string, work: Work): string {
  const named = { type: 'service.receipt-passport.v1', wallet, work: workId(work) }
  return `pp_${digestOf(named)}`
}

const hex64 = z.string().regex(/^[0-9a-f]{64}$/)
const address = z.string().regex(/^0x[0-9a-f]{40}$/)

/** Work as callers name it. */
export const WorkItem = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('wallet_free_call'),
    nonce: z.string().regex(/^[0-9a-f]{32,64}$/),
  }),
  z.strictObject({ kind: z.literal('settled_payment'), payment_id: hex64 }),
])

const Proven = z.strictObject({
  outcome: z.enum(['succeeded', 'settled']),
  operation: z.string().nullable(),
  path: z.string().nullable(),
  body_sha256: hex64.nullable(),
  status: z.int().nullable(),
  at: z.int(),
  payment: z
    .strictObject({
      payment_id: hex64,
      network: z.string(),
      asset: address,
      payer: address,
      pay_to: address,
      amount_atomic: z.string().regex(/^[1-9][0-9]*$/),
      transaction_hash: z.string().regex(/^0x[0-9a-f]{64}$/),
      block_number: z.int(),
    })
    .nullable(),
})

/** The claims of a receipt passport. */
export const PassportClaims = z.strictObject({
  iss: z.string(),
  iat: z.int(),
  jti: z.string().regex(/^pp_[0-9a-f]{64}$/),
  sub: z.string().regex(/^eip155:8453:0x[0-9a-f]{40}$/),
  kind: z.literal('receipt_passport'),
  usage: z.enum(runUsages),
  environment: z.string(),
  work: WorkItem,
  proven: Proven,
})
export type PassportClaims = z.output<typeof PassportClaims>
