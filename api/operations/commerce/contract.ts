import { z } from 'zod'
import { claimStates } from '#domain/commerce/claim-states.ts'
import { commerceChecks } from '#domain/commerce/result.ts'
import { ProtocolBindingView } from '../../registry/protocol-binding-shape.ts'
import { Decision, MissionKind } from './shapes.ts'

/** What the service offers to prove. */
export const CommerceContract = z
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
