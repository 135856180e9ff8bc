import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { TaskSnapshot } from './activities.ts'

/** Makes the automatic transitions that the stored task allows, and ends after them. Unlike a wake, it does this during a run too. */
export const advanceUpdate = defineUpdate<void>('advance')
export const viewQuery = defineQuery<TaskSnapshot | null>('view')
