import { z } from 'zod'
import { Digest, freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf, subjectOf } from '../agents/caller.ts'
import { Recovery } from './recovery-shapes.ts'

/** POST /api/agents/tasks/{token}/decline on the OS host: the agent of a task declines the input that an operator proposes. */
export const taskProposalDecline = operation({
  id: 'task-proposal-decline',
  summary:
    'Decline the corrected input that an operator proposes for a task; the task stays stopped.',
  http: { method: 'POST', path: '/api/agents/tasks/{token}/decline', host: 'os' },
  access: 'status',
  statusToken: { prefixes: ['tk'], signed: true },
  errors: ['not_found', 'wrong_state', 'evidence_changed', 'forbidden_material'],
  input: z.strictObject({
    proposed_input_sha256: Digest.meta({
      description: 'Of the input as the exception shows it; another proposal is 409.',
    }),
    reason: freeText(2000, 1).meta({ description: 'Why, for the operator.' }),
    idempotency_key: IdempotencyKey,
  }),
  output: Recovery,
  handle: async ({ proposed_input_sha256: proposedSha256, reason }, context) => {
    const { actor } = moverOf(context)
    const declined = { taskId: subjectOf(context), actor, proposedSha256, reason }
    await context.recoveries.decline(declined, context.callId)
    return answeredByService
  },
})
