import { z } from 'zod'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { ExceptionState, RecoveryAction, TaskException } from './recovery-shapes.ts'
import { waitShape } from './wait-shapes.ts'

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
    body: await context.tasks.exceptions(subjectOf(context), state),
  }),
})
