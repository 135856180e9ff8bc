import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { PayoutSnapshot, StepAnswer, StepInput } from './ports.ts'

/** Refusals are results, never thrown: a thrown one would be remembered for the run. */
export const createUpdate = defineUpdate<StepAnswer, [StepInput]>('create')
export const authorizeUpdate = defineUpdate<StepAnswer, [StepInput]>('authorize')
export const executeUpdate = defineUpdate<StepAnswer, [{ payoutId: string; callId: string }]>('execute')
/** Makes the workflow read the stored state again and go on; the only signal there is. */
export const wakeSignal = defineSignal('wake')
export const viewQuery = defineQuery<PayoutSnapshot | null>('view')
