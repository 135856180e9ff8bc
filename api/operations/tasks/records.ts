import { z } from 'zod'
import { ReplayFile } from '#domain/runs/replay-package.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { callerIn } from '../../caller.ts'
import { IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { TaskExceptionId } from '../../shapes/recovery.ts'
import { TakenStep, Task, TaskId, TaskState } from '../../shapes/tasks.ts'
import { VerificationPacket } from '../receipts.ts'

/** GET /api/agents/tasks/{token}/attestation on the OS host: what the service signs of the run, and our own judgement of it. */
export const taskAttestation = operation({
  id: 'task-attestation',
  summary:
    'Read the signed attestation of a task’s run, with its verification; of a task that failed, how it ended.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/attestation', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  errors: ['not_ready'],
  output: z
    .strictObject({ attestation: Receipt, verification_packet: VerificationPacket })
    .meta({ id: 'TaskAttestation' }),
  handle: async (_input, context) => {
    const attestation = await context.tasks.attestation(callerIn(context).subjectId)
    const verification_packet = await context.receipts.verify({
      receipt_id: attestation.receipt_id,
    })
    return { body: { attestation, verification_packet } }
  },
})

/** GET /api/agents/tasks/{token}/replay-package on the OS host: a task with everything that proves it, in one signed file. */
export const taskReplayPackage = operation({
  id: 'task-replay-package',
  summary:
    'Read a task as one signed file, with which any party can verify and repeat its work offline.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/replay-package', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  errors: ['not_ready'],
  output: ReplayFile,
  handle: async (_input, context) => ({
    body: await context.recoveries.replayPackage(callerIn(context).subjectId),
  }),
})

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
    const replay = {
      taskId: callerIn(context).subjectId,
      exceptionId: exception_id,
      fromStep: from_step,
    }
    const { actor, actorName } = callerIn(context).taskActor
    await context.recoveries.prepareReplay({ ...replay, actor, actorName }, context.callId)
    return answeredByService
  },
})

const output = z
  .strictObject({
    task_id: TaskId,
    state: TaskState,
    run_id: z.string().nullable(),
    steps: z.array(TakenStep).meta({ description: 'The last 100, the oldest first.' }),
  })
  .meta({ id: 'TaskSteps' })

/** GET /api/agents/tasks/{token}/steps on the OS host: every step that the run of the task has taken, with its times and output. */
export const taskSteps = operation({
  id: 'task-steps',
  summary: 'Read the steps of a run: when each began and ended, and what it put out.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/steps', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  input: z.strictObject({}),
  output,
  handle: async (_input, context) => ({
    body: await context.tasks.steps(callerIn(context).subjectId),
  }),
})
