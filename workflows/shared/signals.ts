import { defineSignal } from '@temporalio/workflow'

/** Makes a workflow read its stored row again and continue. */
export const wakeSignal = defineSignal('wake')
/** Makes a task read its stored row again and show it, because the review of its run has begun or ended. */
export const showSignal = defineSignal('show')
