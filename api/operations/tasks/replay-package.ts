import { ReplayFile } from '#domain/runs/replay-package.ts'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'

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
    body: await context.recoveries.replayPackage(subjectOf(context)),
  }),
})
