import { defineQuery, defineSignal } from '@temporalio/workflow'
import type { CallbackSnapshot } from './ports.ts'

export const callbackWorkflowId = (deliveryId: string): string => `callback-${deliveryId}`

/** Makes the workflow read the stored delivery again and go on. */
export const wakeSignal = defineSignal('wake')
/** Makes the next attempt at once instead of when it is due. */
export const redeliverSignal = defineSignal('redeliver')
export const viewQuery = defineQuery<CallbackSnapshot | null>('view')
