import { inputRead } from './read.ts'

/** Files that are uploaded before a run (decision: endpoints §1.3 has no operation for them). */
export const inputs = [inputRead] as const
