import { z } from 'zod'
import { callerIn } from '../../caller.ts'
import { ENDPOINT } from '../../mcp-protocol.ts'
import { type AnyOperation, operation } from '../../operation.ts'
import { RunId } from '../../shapes/runs.ts'

/** `tasks/cancel` of MCP: gives up a run of the caller that has no result yet. It passes the pipeline of every call, and is no route. */
export const cancelRun: AnyOperation = operation({
  id: 'mcp-task-cancel',
  summary: 'Give up a run that has no result yet.',
  http: { method: 'POST', path: ENDPOINT, host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  errors: ['not_found', 'wrong_state', 'recovery_not_allowed'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({ run_id: RunId }),
  output: z.strictObject({}),
  handle: async ({ run_id }, context) => {
    await context.runs.cancel(callerIn(context).taskActor, run_id)
    return { body: {} }
  },
})
