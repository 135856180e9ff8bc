import { z } from 'zod'
import { feeItems } from '#domain/credit/fees.ts'
import { ReceiptId, Time } from '../../fields.ts'

export const FeeEventId = z.string().regex(/^fe_[0-9a-f]{64}$/)
export const FeeItem = z.enum(feeItems)
export const usd = z.int().min(0)

/** A fee as it stands in the books: posted, held, due, or released. */
export const FeeEvent = z
  .strictObject({
    fee_event_id: FeeEventId,
    fee_item: FeeItem,
    subject: z.string(),
    amount_usd: usd,
    state: z.enum(['due', 'held', 'accrued', 'released']),
    receipt_id: ReceiptId.nullable(),
    created_at: Time,
  })
  .meta({ id: 'FeeEvent' })
