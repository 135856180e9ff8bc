import { setPause } from './set-pause.ts'

/** What operators do to the running service (endpoints §16). */
export const operators = [setPause] as const
