import { loopStart } from './loop-start.ts'
import { loopsRead } from './loops-read.ts'
import { packetLoopRead } from './packet-loop-read.ts'
import { packetLoopStart } from './packet-loop-start.ts'

/** Runs of the controlled loop, and what is seen of its steps. */
export const loops = [loopsRead, loopStart, packetLoopRead, packetLoopStart] as const
