import { z } from 'zod'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { TaskId, TaskState } from './shapes.ts'
import { TakenStep } from './steps-shape.ts'

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
  handle: async (_input, context) => ({ body: await context.tasks.steps(subjectOf(context)) }),
})
