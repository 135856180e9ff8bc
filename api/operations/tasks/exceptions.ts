import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { holdersReasons } from '#domain/tasks/exception.ts'
import { callerIn } from '../../caller.ts'
import { Digest, freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import {
  ExceptionCode,
  ExceptionState,
  Recovery,
  RecoveryAction,
  TaskException,
  TaskExceptionId,
} from '../../shapes/recovery.ts'
import { InputPatch, inputErrors } from '../../shapes/task-inputs.ts'
import { Task, waitShape } from '../../shapes/tasks.ts'

/**
 * POST /api/agents/tasks/{token}/exceptions on the OS host: stops a task until it is recovered. An operator states any reason, the
 * holder of the token its own two: 403 `scope_denied`.
 */
export const taskExceptionRaise = operation({
  id: 'task-exception-raise',
  summary: 'Stop a task with an exception; it keeps the state that it comes back to.',
  http: { method: 'POST', path: '/api/agents/tasks/{token}/exceptions', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: true },
  status: [201],
  errors: ['wrong_state', 'scope_denied', 'forbidden_material'],
  input: z.strictObject({
    code: ExceptionCode,
    detail: freeText(2000, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ exception: TaskException, task: Task }).meta({ id: 'RaisedException' }),
  handle: async ({ code, detail }, context) => {
    const { actor, actorName } = callerIn(context).taskActor
    if (context.caller.kind !== 'operator' && !holdersReasons.includes(code))
      throw refuse('scope_denied', {
        detail: `${code} is not stated by the holder of a task`,
        next_action: `State ${holdersReasons.join(' or ')}.`,
      })
    const raised = { taskId: callerIn(context).subjectId, actor, actorName, code, detail }
    await context.tasks.raise(raised, context.callId)
    return answeredByService
  },
})

/** GET /api/agents/tasks/{token}/exceptions on the OS host. */
export const taskExceptionsRead = operation({
  id: 'task-exceptions',
  summary:
    'List what stopped a task, the oldest first, what it waits for now, and the call that resolves it.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/exceptions', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  input: z.strictObject({ state: ExceptionState.optional() }),
  output: z
    .strictObject({
      items: z.array(TaskException),
      allowed_recoveries: z
        .array(RecoveryAction)
        .meta({ description: 'Of the exception that stops the task now.' }),
      proposed_input: z.looseObject({}).nullable().meta({
        description: 'The input that an operator proposes, to be accepted with `correct_input`.',
      }),
      ...waitShape,
    })
    .meta({ id: 'TaskExceptions' }),
  handle: async ({ state }, context) => ({
    body: await context.tasks.exceptions(callerIn(context).subjectId, state),
  }),
})

/** POST /api/agents/tasks/{token}/recover on the OS host: recovers a stopped task. */
export const taskRecover = operation({
  id: 'task-recover',
  summary:
    'Recover a stopped task, or supply the evidence that it waits for; 202 while an operator has to decide.',
  http: { method: 'POST', path: '/api/agents/tasks/{token}/recover', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: true },
  limits: { bodyBytes: 1_048_576 },
  status: [202, 200],
  errors: [...inputErrors, 'evidence_changed', 'not_found', 'wrong_state', 'recovery_not_allowed'],
  uses: () => ({ workflows: 1 }),
  input: z
    .strictObject({
      exception_id: TaskExceptionId.optional().meta({
        description:
          'What stops the task; needed unless it waits for evidence, or is closed and disputed.',
      }),
      action: RecoveryAction,
      input: z
        .record(z.string(), z.unknown())
        .meta({
          'x-free-text': true,
          description: 'The whole input of the run, for supply_evidence and correct_input.',
        })
        .optional(),
      input_patch: InputPatch.optional(),
      note: freeText(2000).default(''),
      idempotency_key: IdempotencyKey,
    })
    .refine(({ input, input_patch }) => input === undefined || input_patch === undefined, {
      message: 'give input or input_patch',
    }),
  output: Recovery,
  handle: async ({ idempotency_key: _key, exception_id, ...asked }, context) => {
    const { actor, actorName } = callerIn(context).taskActor
    const recovery = {
      taskId: callerIn(context).subjectId,
      exceptionId: exception_id,
      ...asked,
      actor,
      actorName,
      decided: context.caller.kind === 'operator',
    }
    const recovered = await context.recoveries.recover(recovery, context.callId)
    if (recovered.status === 200) return answeredByService
    return { status: 202, body: recovered.body }
  },
})

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
    const { actor } = callerIn(context).taskActor
    const declined = { taskId: callerIn(context).subjectId, actor, proposedSha256, reason }
    await context.recoveries.decline(declined, context.callId)
    return answeredByService
  },
})
