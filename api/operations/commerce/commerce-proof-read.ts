import { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { claimStates } from '#domain/commerce/claim-states.ts'
import {
  commerceDecisions,
  EVIDENCE_DAYS_MAX,
  forbiddenClaims,
  missions,
} from '#domain/commerce/missions.ts'
import { commerceChecks } from '#domain/commerce/result.ts'
import { limits } from '#domain/core/limits.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { CommerceContract } from './contract.ts'
import { CommerceProof, PublicCommerceProof } from './proof-view.ts'
import { ProofId } from './shapes.ts'

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
      return { body: await context.commerceProofs.read(proof_id, agentIdOf(context)) }
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
