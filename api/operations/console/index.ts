import { accessKeyRevoke } from './access-key-revoke.ts'
import { agentLimitsSet } from './agent-limits-set.ts'
import { agentRead } from './agent-read.ts'
import { agentsList } from './agents-list.ts'
import { delegatedActionsList } from './delegated-actions-list.ts'
import { grantsList } from './grants-list.ts'
import { inbox } from './inbox.ts'
import { keyRings } from './key-rings.ts'
import { mandateRead } from './mandate-read.ts'
import { mandatesList } from './mandates-list.ts'
import { money } from './money.ts'
import { pauses } from './pauses.ts'
import { pilotsList } from './pilots-list.ts'
import { recoveryAct } from './recovery-act.ts'
import { sessionEnd } from './session-end.ts'
import { sessionOpen } from './session-open.ts'
import { sessionRead } from './session-read.ts'
import { workList } from './work-list.ts'
import { workRead } from './work-read.ts'

/** What the operator console reads, and its sessions. */
export const consoleOperations = [
  sessionOpen,
  sessionRead,
  sessionEnd,
  inbox,
  workList,
  workRead,
  recoveryAct,
  money,
  pilotsList,
  agentsList,
  agentRead,
  agentLimitsSet,
  accessKeyRevoke,
  pauses,
  mandatesList,
  mandateRead,
  grantsList,
  delegatedActionsList,
  keyRings,
] as const
