import { z } from 'zod'
import { recordedKinds } from '#domain/credit/usage-event.ts'
import { Digest, ReceiptId, Time } from '../fields.ts'
import { Postings } from './credit.ts'

export const UsageEventId = z.string().regex(/^ue_[0-9a-f]{64}$/)
const count = z.int().min(0)

const event = {
  event_id: UsageEventId,
  kind: z.enum([...recordedKinds, 'audit']),
  rail: z.string().nullable(),
  units: count,
  unit: z.string(),
  credit_units: count.meta({ description: 'What it used of the credit, in whole usd.' }),
  entitlement_id: z.string().nullable(),
  at: Time.meta({ description: 'When it was recorded.' }),
  occurred_at: Time,
  agent_id: z.string().nullable(),
  run_id: z.string().nullable(),
  subject: z.string().nullable(),
  chain: z.string().meta({ description: 'The entitlement, or `service`.' }),
  sequence: count,
  prev_hash: Digest.nullable(),
  hash: Digest.meta({
    description:
      'SHA-256 of the canonical JSON of the event: as it stands here, with `at` under the name recorded_at and without entitlement_id, hash and postings.',
  }),
  usage_receipt_id: ReceiptId.nullable(),
}
export const UsageEvent = z.strictObject(event).meta({ id: 'UsageEvent' })
export const UsageEventWithPostings = z
  .strictObject({ ...event, postings: Postings })
  .meta({ id: 'PostedUsageEvent' })
