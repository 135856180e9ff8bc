import { closeException } from './close-exception.ts'
import { hardeningRead } from './hardening-read.ts'
import { listOperators } from './list.ts'
import { reconciliation } from './reconciliation.ts'
import { revokeOperator } from './revoke.ts'
import { setPause } from './set-pause.ts'

/** What operators do to the running service. */
export const operators = [
  hardeningRead,
  setPause,
  reconciliation,
  closeException,
  listOperators,
  revokeOperator,
] as const
