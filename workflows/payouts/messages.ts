import { defineQuery, defineUpdate } from '@temporalio/workflow'
import type { PayoutSnapshot, StepAnswer, StepInput } from './activities.ts'

/** A refusal is a result: Temporal would remember a thrown one for the whole run. */
export const createUpdate = defineUpdate<StepAnswer, [StepInput]>('create')
export const authorizeUpdate = defineUpdate<StepAnswer, [StepInput]>('authorize')
export const executeUpdate = defineUpdate<StepAnswer, [StepInput]>('execute')
export const viewQuery = defineQuery<PayoutSnapshot | null>('view')
