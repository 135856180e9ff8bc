import { defineQuery, defineSignal } from '@temporalio/workflow'
import type { RunSnapshot } from './ports.ts'

/** Makes the run look for the decision that it waits for. */
export const wakeSignal = defineSignal('wake')
export const viewQuery = defineQuery<RunSnapshot | null>('view')
