import { reviewConsole } from './console.ts'
import { reviewRecord } from './record.ts'

/** Where people decide (endpoints §17). */
export const reviews = [reviewConsole, reviewRecord] as const
