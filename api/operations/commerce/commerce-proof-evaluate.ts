import { operation } from '../../operation.ts'
import { CommerceProofInput } from './proof-input.ts'
import { CommerceProof } from './proof-view.ts'
import { provenAgent } from './proven-agent.ts'

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
    const asked = { request, agent: provenAgent(context), callId: context.callId }
    return { body: await context.commerceProofs.evaluate(asked) }
  },
})
