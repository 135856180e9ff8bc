import { z } from 'zod'
import { loopSteps } from '#domain/runs/controlled-loop.ts'
import { ReplayFile } from '#domain/runs/replay-package.ts'
import { IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf, subjectOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { TaskExceptionId } from './recovery-shapes.ts'
import { Task } from './shapes.ts'

/** POST /api/agents/tasks/{token}/replay-package on the OS host: prepares a stopped task for its replay. */
export const taskReplayPrepare = operation({
  id: 'task-replay-prepare',
  summary: 'Prepare the replay of a stopped task; a recovery then brings it back to where it was.',
  http: { method: 'POST', path: '/api/agents/tasks/{token}/replay-package', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: true },
  status: [201],
  errors: ['not_found', 'wrong_state', 'recovery_not_allowed'],
  input: z.strictObject({
    exception_id: TaskExceptionId,
    from_step: z.enum(loopSteps).optional().meta({
      description:
        'intake: the run restarts; else its current step, where it continues by default.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: ReplayFile.extend({ task: Task, receipt: Receipt }).meta({ id: 'PreparedReplay' }),
  handle: async ({ exception_id, from_step }, context) => {
    const replay = { taskId: subjectOf(context), exceptionId: exception_id, fromStep: from_step }
    const { actor, actorName } = moverOf(context)
    await context.recoveries.prepareReplay({ ...replay, actor, actorName }, context.callId)
    return answeredByService
  },
})
