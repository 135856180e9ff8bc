import { z } from 'zod'
import { Analysis } from '#domain/commerce/analysis-schema.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { callerIn } from '../../caller.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Decision, Passport, ProofId } from '../../shapes/commerce.ts'
import { Receipt, sampled } from '../../shapes/receipts.ts'
import { UsageEvent } from '../../shapes/usage.ts'
import { analysisFields, ProofRelay } from './analysis.ts'
import { freeEvidence, packetOf } from './proofs.ts'

const steps = ['free_proof', 'proof_relay', 'ledger', 'receipt', 'relay_state'] as const
/** What every tour says of itself. */
const tour = {
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
const described = {
  ...sampled,
  ...shown,
  description: z.string(),
  steps: z.array(z.enum(steps)),
  model_calls: z.literal(0),
  live: z
    .strictObject({ ledger_events: z.int().min(0), logged_receipts: z.int().min(0) })
    .meta({ description: 'What the ledger of the service and the log hold now, of all callers.' }),
}
const ran = {
  ...shown,
  context_sha256: Digest,
  unread_members: z.array(z.string()).meta({
    description: 'Members that the tour does not read: only their digest is kept. The first 50.',
  }),
}
/** What the second version adds. */
const packet = { verification_packet: CommercePacket }
const timings = {
  step_timings: z.array(z.strictObject({ step: z.enum(steps), ms: z.int().min(0) })),
}

/** Any properties: only `packet` and `evidence` are read; of the others the digest is kept. */
const DemoInput = z
  .object({ packet: analysisFields.packet.optional(), evidence: freeEvidence.optional() })
  .catchall(z.unknown().meta({ 'x-free-text': true }))

const askedOf = (given: z.output<typeof DemoInput>) => ({
  sent: given,
  input: given.packet
    ? { packet: given.packet, questions: [] }
    : given.evidence && packetOf({ evidence: given.evidence, claims: [] }),
})

/** GET /api/investor-demo: the tour over a published packet, of which nothing is stored. */
export const investorDemoRead = operation({
  id: 'investor-demo-read',
  summary: 'Read the tour of a proof, its relay and its ledger entry over a published packet.',
  http: { method: 'GET', path: '/api/investor-demo', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z.strictObject(described).meta({ id: 'InvestorDemo' }),
  handle: async (_, context) => {
    const { verification_packet: _packet, ...demo } = await context.investorDemo.describe()
    return { body: { ...demo, ...tour } }
  },
})

/** GET /api/investor-demo-v2: also the verification packet. */
export const investorDemoV2Read = operation({
  id: 'investor-demo-detail-read',
  summary: 'Read the same tour with its verification packet.',
  http: { method: 'GET', path: '/api/investor-demo-v2', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z.strictObject({ ...described, ...packet }).meta({ id: 'InvestorDemoV2' }),
  handle: async (_, { investorDemo }) => ({
    body: { ...(await investorDemo.describe()), ...tour },
  }),
})

const run = {
  access: 'public',
  errors: ['rate_guardrail_reached', 'input_rejected', 'input_too_complex', 'forbidden_material'],
  uses: () => ({ analyses: 1 }),
  input: DemoInput,
} as const

/** POST /api/investor-demo: the tour over what the caller gives, as a trial, without a model. */
export const investorDemoRun = operation({
  id: 'investor-demo-run',
  summary:
    'Have a packet of yours, or else evidence, proven and relayed as a trial without a model; with neither, the published packet.',
  http: { method: 'POST', path: '/api/investor-demo', host: 'base' },
  ...run,
  output: z.strictObject(ran).meta({ id: 'InvestorDemoRun' }),
  handle: async (given, context) => ({
    body: await context.investorDemo.run(callerIn(context).asking, {
      ...askedOf(given),
      more: () => ({}),
    }),
  }),
})

/** POST /api/investor-demo-v2: also the verification packet, and how long the steps took. */
export const investorDemoV2Run = operation({
  id: 'investor-demo-detail-run',
  summary: 'The same trial with its verification packet and the time of its steps.',
  http: { method: 'POST', path: '/api/investor-demo-v2', host: 'base' },
  ...run,
  output: z.strictObject({ ...ran, ...packet, ...timings }).meta({ id: 'InvestorDemoV2Run' }),
  handle: async (given, context) => ({
    body: await context.investorDemo.run(callerIn(context).asking, {
      ...askedOf(given),
      more: (added) => added,
    }),
  }),
})
