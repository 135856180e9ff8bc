import type { Adapters } from '../../adapters.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { CallbackService } from './demo-receiver.ts'

/** The demonstration of callbacks. */
export const openCallbacks = ({ db }: Adapters, { samples }: ReceiptServices) => ({
  callbacks: new CallbackService({ db, samples }),
})
