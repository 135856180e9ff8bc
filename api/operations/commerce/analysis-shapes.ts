import { z } from 'zod'
import { Analysis } from '#domain/analysis/schema.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { limits } from '#domain/core/limits.ts'
import { Moment } from '#domain/rails/fields.ts'
import { Digest, freeText, ReceiptId } from '../../fields.ts'
import { Receipt } from '../operators/receipt.ts'
import { named } from './proof-input.ts'
import { Passport } from './proof-view.ts'
import { Decision, ItemName, ProofId } from './shapes.ts'

export const AnalysisId = z.string().regex(/^an_[0-9a-f]{64}$/)
export const section = freeText(128, 1)
const itemText = freeText(262_144, 1)

/** What every analysis that asks a model may be refused with. */
export const analysisErrors = [
  'rate_guardrail_reached',
  'provider_failed',
  'input_rejected',
  'input_too_complex',
  'forbidden_material',
] as const
/** Analyses take the same bodies with and without an access key. */
export const analysisLimits = {
  bodyBytes: limits.analysisBodyBytesMax,
  openBodyBytes: limits.analysisBodyBytesMax,
}

const says = (description: string) => ({ description })
export const claims = z
  .array(
    z.strictObject({
      claim: freeText(500, 1).meta(says('What a text has to say word for word.')),
      item: ItemName.optional().meta(says('The item that says it; else any.')),
    }),
  )
  .max(50)
  .default([])
/** Between when an item holds. */
export const holds = {
  issued_at: Moment.optional().meta(says('Since when it holds.')),
  expires_at: Moment.optional().meta(says('Until when it holds.')),
}
/** A structured compliance packet, and what is asked about it. */
export const analysisFields = {
  packet: z
    .strictObject({
      title: freeText(256, 1).meta(says('What the packet is called.')),
      purpose: freeText(2000, 1).optional().meta(says('What it is to show.')),
      as_of: Moment.optional().meta(says('When it is judged; without it nothing is expired.')),
      required_sections: z
        .array(section)
        .min(1)
        .max(100)
        .optional()
        .meta(says('The sections that it needs; else those that its items name.')),
      items: named(
        z.strictObject({
          name: ItemName,
          section: section.meta(says('The section that it is evidence for.')),
          text: itemText.meta(says('Its whole text.')),
          ...holds,
        }),
        'name',
        50,
      )
        .min(1)
        .meta(says('The documents of the packet.')),
      claims,
    })
    .meta(says('The packet that is analysed.')),
  questions: z
    .array(freeText(500, 1))
    .max(50)
    .default([])
    .meta(says('What the items are to answer.')),
  force_fallback: z.boolean().default(false).meta(says('Use the rules alone, and no model.')),
  usage: z.literal('synthetic').optional().meta(says('For a trial.')),
}

/** An analysis in the proof that holds it. */
export const provenAnalysis = {
  analysis: Analysis,
  proof_id: ProofId,
  decision: Decision,
  receipt: Receipt,
  passport: Passport,
  verification_packet: CommercePacket,
}

export const ProofRelay = z
  .strictObject({
    relay_id: z.string().regex(/^rly_[0-9a-f]{64}$/),
    receipt_id: ReceiptId,
    entry_hash: Digest,
    state: z.enum(['recorded', 'retry_available', 'handed_off']),
    retry_available: z.boolean(),
    handoff_ready: z.boolean(),
    next_endpoint: z.string(),
  })
  .meta({ id: 'ProofRelay' })

export const DecidedAnalysis = z.strictObject({ analysis: Analysis, decision: Decision })
