import { z } from 'zod'
import { keysUrlOf } from '../verification/key-document.ts'
import { claimStates } from './claim-states.ts'
import { checkOutcomes, commerceChecks } from './result.ts'

const hex64 = z.string().regex(/^[0-9a-f]{64}$/)

const CommerceCheckShape = z.strictObject({
  check: z.enum(commerceChecks),
  outcome: z.enum(checkOutcomes),
  reason: z.string().nullable(),
  detail: z.string(),
})

/** What anyone needs to follow a decision offline; its digest is in the signed receipt. */
export const CommercePacket = z
  .strictObject({
    proof_id: z.string().regex(/^cp_[0-9a-f]{64}$/),
    request_sha256: hex64.meta({
      description: 'Of the canonical JSON of the request without its idempotency key.',
    }),
    package_sha256: hex64,
    inputs: z.array(
      z.strictObject({
        kind: z.enum(['artifact', 'file', 'evidence']),
        name: z.string(),
        sha256: hex64,
        recomputed: z.boolean().meta({ description: 'Whether its bytes were there and hashed.' }),
      }),
    ),
    claims: z.array(
      z.strictObject({
        claim: z.string(),
        artifact: z.string(),
        state: z.enum(claimStates),
        forbidden: z.string().nullable(),
      }),
    ),
    checks: z.array(CommerceCheckShape),
    payment: z
      .strictObject({
        payment_reference_id: z.string(),
        method: z.string(),
        state: z.string(),
        amount_usd: z.int(),
        settlement_receipt_id: z.string().nullable(),
      })
      .nullable(),
    keys_url: z.string(),
    offline_verification: z.array(z.string()),
  })
  .meta({ id: 'CommercePacket' })
export type CommercePacket = z.output<typeof CommercePacket>

/** The steps with which a reader checks a packet without this service. */
export const offlineSteps = (baseUrl: string): string[] => [
  `Save ${keysUrlOf(baseUrl)} as keys.json.`,
  'Save the jws of receipt and passport, and run: npx agent-rails verify FILE --keys keys.json',
  `Online, have their places in the log proven too: npx agent-rails verify FILE --keys keys.json --log ${baseUrl}`,
  'Compare packet_sha256 of the receipt with the SHA-256 of the canonical JSON (RFC 8785) of this packet.',
  'Compare the sha256 of each input with the SHA-256 of your copy of it.',
  'Compare commerce_receipt_id of the passport with rc_ and the SHA-256 of the jws of the receipt.',
]
