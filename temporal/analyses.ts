import type { Client } from '@temporalio/client'
import { limits } from '#domain/core/limits.ts'
import type { analysis } from '../workflows/analysis/workflow.ts'
import { TASKS_QUEUE } from './queues.ts'

/** Has a worker ask the model the stored prompts of an analysis, or joins that; resolves when it has, or when the time is up. */
export const askForAnalysis = (
  client: Client,
  subject: string,
  prompts: readonly string[],
): Promise<void> =>
  client
    .withDeadline(Date.now() + limits.analysisWaitMs, () =>
      client.workflow.execute<typeof analysis>('analysis', {
        workflowId: `analysis-${subject}`,
        taskQueue: TASKS_QUEUE,
        args: [subject, prompts],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: `Analysis ${subject.slice(0, 12)}`,
      }),
    )
    .catch(() => undefined)
