import { callbackDemoRead } from './demo-read.ts'
import { callbackExamples } from './examples.ts'

/** How callbacks are received (endpoints §20). */
export const callbacks = [callbackExamples, callbackDemoRead] as const
