import { logConsistency } from './consistency.ts'
import { logInclusion } from './inclusion.ts'
import { receiptBundle } from './receipt-bundle.ts'

/** The transparency log. */
export const transparencyLog = [logInclusion, logConsistency, receiptBundle] as const
