import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { ContractId, Task, TaskToken } from '../tasks/shapes.ts'
import { Run } from './shapes.ts'

/** POST /api/agent-self-serve-rail-loop, the step `submit_agent_run`: the input of a run that was agreed on. */
export const selfServeLoopSubmit = operation({
  id: 'self-serve-loop-submit',
  summary:
    'Submit the input of an agreed run; the work begins by itself once credit, input and review are there.',
  http: { method: 'POST', path: '/api/agent-self-serve-rail-loop', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: ['not_found', 'not_owner', 'wrong_state', 'evidence_mismatch', 'forbidden_material'],
  uses: () => ({ workflows: 1 }),
  input: z.strictObject({
    task_token: TaskToken,
    contract_id: ContractId,
    input: z.record(z.string(), z.unknown()).meta({
      'x-free-text': true,
      description: 'As the rail takes it; a list that was uploaded is named as {"sha256": "…"}.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ run: Run, waiting_for: Task.shape.waiting_for })
    .meta({ id: 'SubmittedRun' }),
  handle: async ({ idempotency_key: _key, ...submission }, context) => {
    const run = await context.runs.submit(moverOf(context), submission)
    return { status: 202, body: { run, waiting_for: run.waiting_for } }
  },
})
