import { usageLedgerRead } from './usage-ledger-read.ts'
import { usageLedgerRecord } from './usage-ledger-record.ts'

/** The usage ledger (endpoints §11). */
export const usage = [usageLedgerRead, usageLedgerRecord] as const
