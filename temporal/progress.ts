import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js'
import { StepProgress } from '#domain/runs/progress.ts'

/** What the step that a run takes now reported last; null where it reported nothing, or the run has no open workflow. */
export async function stepProgress(client: Client, runId: string): Promise<StepProgress | null> {
  try {
    const { raw } = await client.workflow.getHandle(runId).describe()
    const [step] = raw.pendingActivities ?? []
    const payloads = step?.heartbeatDetails?.payloads
    if (payloads == null) return null
    const [last] = await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads)
    return StepProgress.safeParse(last).data ?? null
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null
    throw error
  }
}
