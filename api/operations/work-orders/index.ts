import { workOrderConsent } from './consent.ts'
import { workOrderCreate } from './create.ts'
import { workOrderDecline } from './decline.ts'
import { workOrdersRead } from './read.ts'

/** Orders that any caller may send and only an operator approves. */
export const workOrders = [
  workOrdersRead,
  workOrderCreate,
  workOrderConsent,
  workOrderDecline,
] as const
