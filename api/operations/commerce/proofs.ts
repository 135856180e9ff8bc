import { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import type { AnalysisInput } from '#domain/analysis/input.ts'
import { claimStates } from '#domain/commerce/claim-states.ts'
import {
  commerceDecisions,
  EVIDENCE_DAYS_MAX,
  forbiddenClaims,
  missions,
} from '#domain/commerce/missions.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { checkOutcomes, commerceChecks } from '#domain/commerce/result.ts'
import { limits } from '#domain/core/limits.ts'
import { Moment } from '#domain/rails/input/fields.ts'
import { logStates } from '#domain/receipts/receipt.ts'

import { dayOf } from '#domain/receipts/statement.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey, Time, Usage } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { AgentId } from '../../shapes/agents.ts'
import {
  ActivityId,
  Binding,
  CommerceProofInput,
  Decision,
  ItemName,
  MissionKind,
  named,
  Passport,
  ProofId,
} from '../../shapes/commerce.ts'
import { ProtocolBindingView } from '../../shapes/protocol-bindings.ts'
import { Receipt, sampled } from '../../shapes/receipts.ts'
import { claims, DecidedAnalysis, holds, provenAnalysis, section } from './analysis.ts'

const persistence = z.strictObject({
  state: z.literal('persisted'),
  published: z.boolean().meta({
    description:
      'Whether the activity feed shows it now: with consent, as soon as the log has its receipt, some seconds after it was made.',
  }),
  publication_consent: z.boolean(),
  activity_id: ActivityId.nullable(),
  review_state: z.enum(['waiting', 'approved', 'rejected']).nullable(),
  review_decision_id: z.string().nullable(),
  evaluated_at: Time,
  record_url: z.string(),
})
const log_state = z.enum(logStates).meta({
  description: 'Where the receipt stands in the transparency log; pending for at most 60 s.',
})
const signed = { receipt: Receipt, passport: Passport, persistence, log_state }
const money_movement = z.literal(false).meta({
  description:
    'Read from the ledger: nothing is posted or transferred under the call of the proof.',
})

/** A proof as its caller and its agent see it. */
const CommerceProof = z
  .strictObject({
    proof_id: ProofId,
    decision: Decision,
    reasons: z.array(
      z.strictObject({
        check: z.enum(commerceChecks),
        reason: z.string().nullable(),
        detail: z.string(),
      }),
    ),
    mission: z.strictObject({ mission_id: z.string(), kind: MissionKind, objective: z.string() }),
    agent: z.strictObject({
      agent_id: AgentId.nullable(),
      name: z.string().nullable(),
      wallet: z.string().nullable(),
      credential_bound: z.boolean(),
    }),
    protocol_binding: Binding.nullable(),
    usage: Usage,
    verification_packet: CommercePacket,
    ...signed,
    money_movement,
  })
  .meta({ id: 'CommerceProof' })

/** A proof as everyone may see it. */
const PublicCommerceProof = z
  .strictObject({
    proof_id: ProofId,
    decision: Decision,
    checks: z.array(
      z.strictObject({
        check: z.enum(commerceChecks),
        outcome: z.enum(checkOutcomes),
        reason: z.string().nullable(),
      }),
    ),
    mission_kind: MissionKind,
    agent_id: AgentId.nullable(),
    protocol_binding: Binding.nullable(),
    usage: Usage,
    package_sha256: Digest,
    packet_sha256: Digest,
    ...signed,
    money_movement,
  })
  .meta({ id: 'PublicCommerceProof' })

/** POST /api/agent-commerce-proof: computes on what the caller sends and on records, and moves nothing. */
export const commerceProofEvaluate = operation({
  id: 'commerce-proof-evaluate',
  summary:
    'Have a return package judged: digests, claims, evidence, payment, authority and duplicates lead to a decision with a passport, a signed receipt and a verification packet.',
  http: { method: 'POST', path: '/api/agent-commerce-proof', host: 'base' },
  access: 'public',
  status: [201],
  errors: ['credential_required', 'not_owner', 'evidence_mismatch', 'forbidden_material'],
  input: CommerceProofInput,
  output: CommerceProof,
  handle: async ({ idempotency_key: _key, ...request }, context) => {
    const asked = { request, agent: callerIn(context).proofAgent, callId: context.callId }
    return { body: await context.commerceProofs.evaluate(asked) }
  },
})

/** What the service offers to prove. */
const CommerceContract = z
  .strictObject({
    schema: z.looseObject({}).meta({ description: 'commerce-proof.v1.json.' }),
    decisions: z.array(Decision),
    missions: z.array(
      z.strictObject({
        kind: MissionKind,
        needs: z.array(z.string()),
        payment: z.enum(['required', 'if_named']),
        needs_agent: z.boolean(),
      }),
    ),
    protocol_bindings: z.array(ProtocolBindingView),
    checks: z.array(z.enum(commerceChecks)),
    claim_states: z.array(z.enum(claimStates)),
    safety_boundary: z.strictObject({
      money_movement: z.literal(false),
      rules: z.array(z.string()),
      forbidden_claims: z.array(z.string()),
      evidence_days_max: z.int(),
      body_bytes_max: z.int(),
    }),
    live: z.record(z.string(), z.int()).meta({ description: 'Proofs by decision.' }),
  })
  .meta({ id: 'CommerceContract' })

/** GET /api/agent-commerce-proof: what is proven and how; with `proof_id`, one proof. */
export const commerceProofRead = operation({
  id: 'commerce-proof-read',
  summary:
    'Read the schema, missions and rules of commerce proofs, or one proof: your own in full, a published one without what is private.',
  http: { method: 'GET', path: '/api/agent-commerce-proof', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  input: z.strictObject({ proof_id: ProofId.optional() }),
  output: z.union([CommerceContract, CommerceProof, PublicCommerceProof]),
  handle: async ({ proof_id }, context) => {
    if (proof_id !== undefined)
      return { body: await context.commerceProofs.read(proof_id, callerIn(context).agentId) }
    const { discovery, commerceProofs } = context
    return {
      body: {
        schema: discovery.schemas.read('commerce-proof.v1.json') ?? {},
        decisions: [...commerceDecisions],
        missions: missions.map(({ kind, needs, payment, needsAgent }) => ({
          kind,
          needs: [...needs],
          payment,
          needs_agent: needsAgent,
        })),
        protocol_bindings: discovery.bindings(),
        checks: [...commerceChecks],
        claim_states: [...claimStates],
        safety_boundary: {
          money_movement: false as const,
          rules: [...policyRules],
          forbidden_claims: forbiddenClaims.map(({ code }) => code),
          evidence_days_max: EVIDENCE_DAYS_MAX,
          body_bytes_max: limits.bodyBytesMax,
        },
        live: await commerceProofs.decided(),
      },
    }
  },
})

/** GET /api/free-proof-run: the proof of a published packet. */
export const freeProofRead = operation({
  id: 'free-proof-read',
  summary: 'Read a signed trial of a proof over a published packet.',
  http: { method: 'GET', path: '/api/free-proof-run', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  output: z
    .strictObject({
      ...sampled,
      proof: DecidedAnalysis,
      passport: Passport,
      verification_packet: CommercePacket,
    })
    .meta({ id: 'FreeProofSample' }),
  handle: async (_, { analyses }) => ({ body: await analyses.sampleProof() }),
})

const { analysis: _analysis, decision: _decision, ...signedProof } = provenAnalysis

/** Texts of the caller. */
export const freeEvidence = named(
  z.strictObject({
    name: ItemName,
    text: freeText(65_536, 1).meta({ description: 'Its whole text.' }),
    section: section.default('evidence').meta({ description: 'What it is evidence for.' }),
    ...holds,
  }),
  'name',
  20,
).min(1)

/** How supplied evidence is judged. */
const judging = {
  as_of: Moment.optional().meta({ description: 'When it is judged; else on the day of the call.' }),
  claims: claims.meta({ description: 'What the evidence is to say.' }),
}

type Supplied = {
  evidence: z.output<typeof freeEvidence>
  as_of?: string | undefined
  claims: z.output<typeof claims>
}
/** What is analysed of them. */
export const packetOf = ({
  evidence: items,
  as_of = today(),
  claims,
}: Supplied): AnalysisInput => ({
  packet: { title: 'Supplied evidence', as_of, items, claims },
  questions: [],
})
const today = (): string => dayOf(Date.now() / 1000)

/** POST /api/free-proof-run: a trial on the caller's own evidence; it never counts as work. */
export const freeProofRun = operation({
  id: 'free-proof-run',
  summary: 'Have evidence analysed and proven by rules as a signed trial, without a model.',
  http: { method: 'POST', path: '/api/free-proof-run', host: 'base' },
  access: 'public',
  errors: ['rate_guardrail_reached', 'input_rejected', 'input_too_complex', 'forbidden_material'],
  uses: () => ({ analyses: 1 }),
  input: z.strictObject({
    evidence: freeEvidence
      .optional()
      .meta({ description: 'What is proven; without it, a published packet.' }),
    ...judging,
    mission_id: IdempotencyKey.optional().meta({ description: 'Your own name of the mission.' }),
    publication_consent: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether the activity feed may show it; an agent with the scope.' }),
  }),
  output: z
    .strictObject({ ...signedProof, proof: DecidedAnalysis, usage: Usage.extract(['synthetic']) })
    .meta({ id: 'FreeProof' }),
  handle: async ({ evidence, mission_id, publication_consent, ...judged }, context) => {
    const input = evidence ? packetOf({ evidence, ...judged }) : analysisFixture
    const mission = { mission_id, publication_consent }
    return {
      body: await context.analyses.prove({ ...callerIn(context).asking, input, mission }),
    }
  },
})
