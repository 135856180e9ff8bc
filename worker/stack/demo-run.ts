import type { Hosts } from '../../clients/typescript/src/index.ts'
import type { EmbeddedStack } from './embedded.ts'

/** What the parts of the demo share; `run` names this one, `directory` is where its files go. */
export type Demo = {
  stack: EmbeddedStack
  hosts: Hosts
  /** Where the Temporal UI shows workflows. */
  ui: string
  run: string
  directory: string
  /** Keeps how long a step took, in whole milliseconds. */
  timed<T>(name: string, work: () => Promise<T>): Promise<T>
  say(text: string): void
}
