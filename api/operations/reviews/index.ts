import { reviewConsole } from './console.ts'
import { reviewRecord } from './record.ts'

/** Where people decide. */
export const reviews = [reviewConsole, reviewRecord] as const
