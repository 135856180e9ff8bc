import { closeException } from './close-exception.ts'
import { reconciliation } from './reconciliation.ts'
import { setPause } from './set-pause.ts'

/** What operators do to the running service (endpoints §16). */
export const operators = [setPause, reconciliation, closeException] as const
