import * as wf from '@temporalio/workflow'
import { searchAttributes } from './search-attributes.ts'

/** Runs a workflow to its end. The closed run needs no attention, even if it was cancelled. */
export async function withoutAttentionAfter<Result>(body: () => Promise<Result>): Promise<Result> {
  try {
    return await body()
  } finally {
    const { NeedsAttention } = searchAttributes
    if (wf.workflowInfo().typedSearchAttributes.get(NeedsAttention) === true)
      wf.upsertSearchAttributes([{ key: NeedsAttention, value: false }])
  }
}
