import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow'
import type { PayoutSnapshot, StepInput, StepResult } from './ports.ts'

/** Refusals are results, never thrown: a thrown one would be remembered for the run. */
export const createUpdate = defineUpdate<StepResult, [StepInput]>('create')
export const authorizeUpdate = defineUpdate<StepResult, [StepInput]>('authorize')
export const executeUpdate = defineUpdate<StepResult, [{ payoutId: string; callId: string }]>('execute')
/** Makes the workflow read the stored state again and go on; the only signal there is. */
export const wakeSignal = defineSignal('wake')
export const viewQuery = defineQuery<PayoutSnapshot | null>('view')
