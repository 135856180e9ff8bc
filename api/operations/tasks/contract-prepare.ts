import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { Contract, TaskToken } from './shapes.ts'

/** POST /api/agents/contracts on the OS host: the terms of a task, which its agent has 24 hours to accept. */
export const contractPrepare = operation({
  id: 'contract-prepare',
  summary:
    'Prepare the contract of a task that passed its preflight; answers with its terms and a signed receipt.',
  http: { method: 'POST', path: '/api/agents/contracts', host: 'os' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  status: [201],
  errors: ['not_found', 'not_owner', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    task_token: TaskToken,
    acceptance_criteria: z.array(freeText(500, 1)).min(1).max(20).optional(),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ contract: Contract, receipt: Receipt }).meta({ id: 'PreparedContract' }),
  authorize: async ({ task_token }, context) => {
    await context.tasks.ofToken(moverOf(context), task_token)
  },
  handle: async ({ task_token, acceptance_criteria = [] }, context) => {
    await context.taskContracts.prepare(
      moverOf(context),
      { task_token, acceptance_criteria },
      context.callId,
    )
    return answeredByService
  },
})
