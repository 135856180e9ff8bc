import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { EventInput, EventResult, TaskSnapshot } from './activities.ts'

/** One event of the task's table; a refusal is a result, because a thrown one would be remembered for the run. */
export const eventUpdate = defineUpdate<EventResult, [EventInput]>('event')
/** Makes the moves that the stored task makes by itself, and answers once they are made; at work too, where a wake is for the run. */
export const advanceUpdate = defineUpdate<EventResult, [why: string]>('advance')
export const viewQuery = defineQuery<TaskSnapshot | null>('view')
