import type { Context } from '../../context.ts'
import type { ProofAgent } from '../../services/commerce/gather.ts'
import type { Asking } from '../../services/evidence/analyses.ts'

/** The agent whose access key the call presents. */
export function provenAgent({ caller }: Context): ProofAgent | undefined {
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

/** Who asks for an analysis: an agent by its access key, or an address. */
export function askingOf(context: Context): Asking {
  const { caller, callId } = context
  const address = caller.kind === 'public' ? caller.address : ''
  return { agent: provenAgent(context), address, callId }
}
