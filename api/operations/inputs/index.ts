import { inputRead } from './read.ts'
import { inputUpload } from './upload.ts'

/** Files that are uploaded before a run (decision: endpoints §1.3 has no operation for them). */
export const inputs = [inputUpload, inputRead] as const
