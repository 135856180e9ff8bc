import { defineQuery, defineSignal } from '@temporalio/workflow'
import type { CallbackSnapshot } from './activities.ts'

export const callbackWorkflowId = (deliveryId: string): string => `callback-${deliveryId}`

/** Makes the next attempt now, even before it is due. */
export const redeliverSignal = defineSignal('redeliver')
export const viewQuery = defineQuery<CallbackSnapshot | null>('view')
