import { selfServeLoopRead } from './read.ts'
import { selfServeLoopSubmit } from './submit.ts'

/** Runs that are agreed on first and submitted by their agent (endpoints §11). */
export const selfServe = [selfServeLoopRead, selfServeLoopSubmit] as const
