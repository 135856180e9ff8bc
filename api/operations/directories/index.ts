import { directoryRead } from './read.ts'
import { directorySubmit } from './submit.ts'

/** Submissions of this service to directories of services. */
export const directories = [directoryRead, directorySubmit] as const
