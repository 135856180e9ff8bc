import { z } from 'zod'
import { Digest, ReceiptId, Time, Usage } from '../fields.ts'

/** A signed receipt as operators' acts answer with it. */
export const Receipt = z
  .strictObject({
    receipt_id: ReceiptId,
    kind: z.string(),
    issuer: z.string(),
    key_id: z.string(),
    issued_at: Time,
    subject: z.string(),
    usage: Usage,
    payload: z.looseObject({}),
    payload_sha256: Digest,
    prev_receipt_id: ReceiptId.nullable(),
    jws: z.string(),
  })
  .meta({ id: 'Receipt' })

/** What a GET shows without anything having happened. */
export const sampled = {
  sample: z.literal(true),
  usage: Usage.extract(['synthetic']),
  fixture_id: z.string(),
  code_version: z.string(),
  persisted: z.literal(false),
  receipt: Receipt,
}
