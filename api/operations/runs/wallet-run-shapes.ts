import { z } from 'zod'
import { ReceiptId } from '../../fields.ts'
import { ReferenceId, WalletId } from '../payments/shapes.ts'
import { WorkOrder } from '../work-orders/shapes.ts'
import { Run } from './shapes.ts'

/** What a run that is bound to a wallet carries. */
export const walletRun = {
  wallet_id: WalletId,
  payment_intent_id: ReferenceId.meta({ description: 'The payment reference of the debit.' }),
  settlement_reference: ReceiptId.meta({
    description: 'The settlement receipt, by which the price left the balance.',
  }),
  receipt_id: ReceiptId.meta({ description: 'The intake receipt of the order.' }),
  work_order: WorkOrder,
  return_package_target: z.strictObject({
    return_package_id: z.string().regex(/^rp_[0-9a-f]{64}$/),
    url: z.url().meta({
      description: 'Where the package is read by GET once it is there.',
    }),
  }),
  run: Run,
}
