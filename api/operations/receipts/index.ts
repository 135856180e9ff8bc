import { verifyReceipt } from './verify-receipt.ts'

/** Receipts. */
export const receipts = [verifyReceipt] as const
