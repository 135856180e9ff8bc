import { accessKeyRevoke, agentLimitsSet, agentRead, agentsList, grantsList } from './agents.ts'
import { delegatedActionsList, mandateRead, mandatesList } from './mandates.ts'
import { keyRings, money, pauses } from './money.ts'
import { sessionEnd, sessionOpen, sessionRead } from './session.ts'
import { inbox, pilotsList, recoveryAct, workList, workRead } from './work.ts'

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
