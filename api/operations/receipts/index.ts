import { verifyReceipt } from './verify-receipt.ts'

/** Receipts (endpoints §8). */
export const receipts = [verifyReceipt] as const
