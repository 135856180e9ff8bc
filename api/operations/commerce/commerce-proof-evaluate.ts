import type { Context } from '../../context.ts'
import { commerceExamples } from '../../examples/commerce.ts'
import { operation } from '../../operation.ts'
import type { ProofAgent } from '../../services/commerce/gather.ts'
import { CommerceProofInput } from './proof-input.ts'
import { CommerceProof } from './proof-view.ts'

/** POST /api/agent-commerce-proof: computes on what the caller sends and on records, and moves nothing. */
export const commerceProofEvaluate = operation({
  id: 'commerce-proof-evaluate',
  summary:
    'Have a return package judged: digests, claims, evidence, payment, authority and duplicates lead to a decision with a passport, a signed receipt and a verification packet.',
  http: { method: 'POST', path: '/api/agent-commerce-proof', host: 'base' },
  access: 'public',
  status: [201],
  errors: ['credential_required', 'not_owner', 'evidence_mismatch', 'forbidden_material'],
  idempotency: { kind: 'body' },
  uses: () => ({}),
  input: CommerceProofInput,
  output: CommerceProof,
  example: commerceExamples['commerce-proof-evaluate'],
  handle: async ({ idempotency_key: _key, ...request }, context) => {
    const asked = { request, agent: agentOf(context), callId: context.callId }
    return { body: await context.commerceProofs.evaluate(asked) }
  },
})

/** The agent whose access key the call presents. */
function agentOf({ caller }: Context): ProofAgent | undefined {
  const credential = caller.kind === 'public' ? caller.credential : undefined
  if (credential === undefined) return undefined
  const { agent_id, credential_id, trust_state, rails, scopes, sandbox } = credential
  return {
    agentId: agent_id,
    credentialId: credential_id,
    trust: trust_state,
    rails,
    sandbox,
    mayPublish: scopes.includes('proofs:publish'),
  }
}
