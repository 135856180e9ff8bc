import { callbackCompletionRead } from './completion-read.ts'
import { callbackDemoRead } from './demo-read.ts'
import { callbackDemoReceive } from './demo-receive.ts'
import { callbackExamples } from './examples.ts'

/** How callbacks are received. */
export const callbacks = [
  callbackCompletionRead,
  callbackExamples,
  callbackDemoReceive,
  callbackDemoRead,
] as const
