import { z } from 'zod'
import { Analysis } from '#domain/analysis/schema.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { Digest } from '../../fields.ts'
import { Receipt } from '../operators/receipt.ts'
import { sampled } from '../receipts/sampled.ts'
import { UsageEvent } from '../usage/usage-shapes.ts'
import { analysisFields, ProofRelay } from './analysis-shapes.ts'
import { freeEvidence, packetOf } from './free-proof-run.ts'
import { Passport } from './proof-view.ts'
import { Decision, ProofId } from './shapes.ts'

const steps = ['free_proof', 'proof_relay', 'ledger', 'receipt', 'relay_state'] as const
/** What every tour says of itself. */
export const tour = {
  description:
    'A packet is analysed by rules and proven; the proof is bound to a ledger entry, a receipt and a relay. It is a trial: no work is executed and no money moves.',
  steps: [...steps],
  model_calls: 0 as const,
}
const shown = {
  free_proof: z.strictObject({
    proof_id: ProofId.nullable().meta({ description: 'Null for the sample, which is not stored.' }),
    analysis: Analysis,
    decision: Decision,
    passport: Passport,
  }),
  analysis_proof_relay: ProofRelay,
  ledger: z.array(UsageEvent),
  receipt: Receipt,
  relay_state: ProofRelay.shape.state,
}
export const described = {
  ...sampled,
  ...shown,
  description: z.string(),
  steps: z.array(z.enum(steps)),
  model_calls: z.literal(0),
  live: z
    .strictObject({ ledger_events: z.int().min(0), logged_receipts: z.int().min(0) })
    .meta({ description: 'What the ledger of the service and the log hold now, of all callers.' }),
}
export const ran = {
  ...shown,
  context_sha256: Digest,
  unread_members: z.array(z.string()).meta({
    description: 'Members that the tour does not read: only their digest is kept. The first 50.',
  }),
}
/** What the second version adds. */
export const packet = { verification_packet: CommercePacket }
export const timings = {
  step_timings: z.array(z.strictObject({ step: z.enum(steps), ms: z.int().min(0) })),
}

/** Any properties: only `packet` and `evidence` are read; of the others the digest is kept. */
export const DemoInput = z
  .object({ packet: analysisFields.packet.optional(), evidence: freeEvidence.optional() })
  .catchall(z.unknown().meta({ 'x-free-text': true }))

export const askedOf = (given: z.output<typeof DemoInput>) => ({
  sent: given,
  input: given.packet
    ? { packet: given.packet, questions: [] }
    : given.evidence && packetOf({ evidence: given.evidence, claims: [] }),
})
