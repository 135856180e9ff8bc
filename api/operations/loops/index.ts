import { loopStart } from './loop-start.ts'
import { loopsRead } from './loops-read.ts'

/** Runs of the controlled loop, and what is seen of its steps. */
export const loops = [loopsRead, loopStart] as const
