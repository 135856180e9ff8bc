import { usageLedgerRead } from './usage-ledger-read.ts'
import { usageLedgerRecord } from './usage-ledger-record.ts'

/** The usage ledger. */
export const usage = [usageLedgerRead, usageLedgerRecord] as const
