import type { ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import type { Adapters } from '../../adapters.ts'
import { Samples } from './sample.ts'
import { ReceiptService } from './verification.ts'

export type ReceiptServices = ReturnType<typeof openReceipts>

/** The verification of receipts, and the signed samples. */
export function openReceipts(
  adapters: Pick<Adapters, 'db' | 'keys'> & Pick<ReceiptIssuer, 'issuer' | 'environment'>,
) {
  return {
    receipts: new ReceiptService(adapters.db, adapters.issuer),
    samples: new Samples(adapters),
  }
}
