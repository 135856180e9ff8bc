import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { EventInput, EventResult, TaskSnapshot } from './ports.ts'

/** One event of the task's table; a refusal is a result, because a thrown one would be remembered for the run. */
export const eventUpdate = defineUpdate<EventResult, [EventInput]>('event')
/** Makes the moves that the stored task makes by itself, and answers once they are made; at work too, where a wake is for the run. */
export const advanceUpdate = defineUpdate<EventResult, [why: string]>('advance')
/** Makes the workflow read the stored task again and go on; the only signal there is. */
export const wakeSignal = defineSignal('wake')
/** Makes the workflow read the stored task again and show it: its run has come to a review, or the review is over. */
export const showSignal = defineSignal('show')
export const viewQuery = defineQuery<TaskSnapshot | null>('view')
