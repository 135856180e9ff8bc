import type { Hosts } from '../../clients/typescript/src/index.ts'
import type { EmbeddedStack } from './embedded.ts'

/** What the demo needs of a stack, whichever process started it. */
export type RunningStack = Pick<EmbeddedStack, 'layout' | 'accounts' | 'env'>

/** What the parts of the demo share; `run` names this one, `directory` is where its files go. */
export type Demo = {
  stack: RunningStack
  hosts: Hosts
  /** Where the Temporal UI shows workflows. */
  ui: string
  run: string
  directory: string
  /** Keeps how long a step took, in whole milliseconds. */
  timed<T>(name: string, work: () => Promise<T>): Promise<T>
  say(text: string): void
}
