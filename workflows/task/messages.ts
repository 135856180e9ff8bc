import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { EventInput, EventResult, TaskSnapshot } from './activities.ts'

/** One event of the state table. A refusal is a result: Temporal would remember a thrown one for the whole run. */
export const eventUpdate = defineUpdate<EventResult, [EventInput]>('event')
/** Makes the automatic transitions of the stored task and answers after them. Unlike a wake, it does this during a run too. */
export const advanceUpdate = defineUpdate<EventResult, [why: string]>('advance')
export const viewQuery = defineQuery<TaskSnapshot | null>('view')
