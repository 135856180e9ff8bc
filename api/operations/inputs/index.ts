import { inputRead } from './read.ts'
import { inputUpload } from './upload.ts'

/** Files that are uploaded before a run. */
export const inputs = [inputUpload, inputRead] as const
