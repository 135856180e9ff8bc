import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { holdersReasons } from '#domain/tasks/exception.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf, subjectOf } from '../agents/caller.ts'
import { ExceptionCode, TaskException } from './recovery-shapes.ts'
import { Task } from './shapes.ts'

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
    const { actor, actorName } = moverOf(context)
    if (context.caller.kind !== 'operator' && !holdersReasons.includes(code))
      throw refuse('scope_denied', {
        detail: `${code} is not stated by the holder of a task`,
        next_action: `State ${holdersReasons.join(' or ')}.`,
      })
    const raised = { taskId: subjectOf(context), actor, actorName, code, detail }
    await context.tasks.raise(raised, context.callId)
    return answeredByService
  },
})
