import { workOrderCreate } from './create.ts'
import { workOrdersRead } from './read.ts'

/** Orders that anybody may send, and nobody but an operator lets through (endpoints §19). */
export const workOrders = [workOrdersRead, workOrderCreate] as const
