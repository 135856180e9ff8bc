import { z } from 'zod'
import { runOutcomes } from '#domain/runs/outcome.ts'
import { callerIn } from '../caller.ts'
import { Time } from '../fields.ts'
import { ENDPOINT } from '../mcp-protocol.ts'
import { type AnyOperation, operation } from '../operation.ts'
import { startAgentRun } from '../operations/runs/start.ts'
import { RunId } from '../shapes/runs.ts'

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

const output = z.strictObject({
  outcome: z.enum(runOutcomes),
  created_at: Time,
  changed_at: Time,
  started: startAgentRun.output,
})
export type FollowedRun = z.output<typeof output>

/** `tasks/get` of MCP: a run of the caller, as its start would be answered now. It passes the pipeline of every call, and is no route. */
export const followRun: AnyOperation = operation({
  id: 'mcp-task-get',
  summary: 'Read a run as a task of MCP.',
  http: { method: 'POST', path: ENDPOINT, host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ run_id: RunId }),
  output,
  handle: async ({ run_id }, context) => ({
    body: await context.runStarts.follow(callerIn(context).taskActor, run_id),
  }),
})
