import { reviewConsole } from './console.ts'
import { reviewRecord } from './record.ts'
import { reviewRecordBatch } from './record-batch.ts'

/** Where people decide. */
export const reviews = [reviewConsole, reviewRecord, reviewRecordBatch] as const
