import { refuse } from '#domain/core/errors.ts'
import type { Context } from '../../context.ts'
import { answeredByService, operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { RotationOrder, Rotations } from './rotate-shapes.ts'
import { path } from './shapes.ts'

/**
 * POST /api/signing-secret-rotation, mode `rotate_signing_credential`. The next access key is not in the answer: it is claimed by
 * handshake, so that a thief of an access key never gets its successor. Target `service` starts a workflow for each ring; GET /api/operator/keys shows its state.
 */
export const signingRotate = operation({
  id: 'signing-rotate',
  summary:
    'Rotate an agent’s signing key or access key, or as an operator the keys of the service, with an overlap or revoking the old one at once.',
  http: { method: 'POST', path, host: 'base' },
  tool: 'rotate_signing_credential',
  destructive: true,
  access: ['agent', 'operator'],
  needs: { scopes: ['signing:use'] },
  status: [201],
  errors: [
    'not_found',
    'not_owner',
    'proof_invalid',
    'trust_required',
    'key_already_registered',
    'rotation_in_progress',
    'forbidden_material',
  ],
  input: RotationOrder,
  output: Rotations,
  handle: async (input, context) => {
    const {
      overlap_seconds: overlapSeconds,
      revoke_old: revokeOld,
      reason,
      next_key: nextKey,
    } = input
    if (input.target === 'service') {
      const order = { ring: input.ring, reason, overlapSeconds, revokeOld }
      await context.keys.rotate(rotatingService(context), order, context.callId)
      return answeredByService
    }
    const { by, agentId } = rotating(input, context)
    const rotation = { by, agentId, overlapSeconds, revokeOld, reason, nextKey }
    await context.signing.rotate(rotation, context.callId)
    return answeredByService
  },
})

/** An agent rotates its own keys. An operator names the agent, and rotates access keys alone: it has no key of the agent to sign with. */
function rotating(
  { agent_id, target }: { agent_id?: string | undefined; target: string },
  context: Context,
) {
  const { caller } = context
  if (caller.kind === 'agent') {
    if (agent_id !== undefined && agent_id !== caller.agentId)
      throw refuse('not_owner', {
        detail: 'an agent rotates its own keys',
        next_action: 'Leave agent_id out.',
      })
    return { by: { agentId: caller.agentId }, agentId: caller.agentId }
  }
  const { operatorId, name } = callingOperator(context)
  if (agent_id !== undefined && target === 'own_access_key')
    return { by: { operatorId, name }, agentId: agent_id }
  throw refuse('invalid_request', {
    detail: 'an operator rotates the access key of one agent',
    next_action: 'Send agent_id and own_access_key.',
  })
}

/** No agent rotates the keys of the service, whatever its scopes. */
function rotatingService(context: Context): { operatorId: string; name: string } {
  if (context.caller.kind === 'agent')
    throw refuse('not_owner', {
      detail: 'only an operator rotates the keys of the service',
      next_action: 'Rotate your own keys with own_signing or own_access_key.',
    })
  const { operatorId, name } = callingOperator(context)
  return { operatorId, name }
}
