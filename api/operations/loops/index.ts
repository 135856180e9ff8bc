import { loopAuditPack } from './audit-pack.ts'
import { controlledPilotRead, controlledPilotRun } from './controlled-pilots.ts'
import {
  diligenceLoopRead,
  diligenceLoopStart,
  loopStart,
  loopsRead,
  packetLoopRead,
  packetLoopStart,
} from './loops.ts'
import { runtimeRun, runtimeRunsRead } from './runtime-runs.ts'

/** Runs of the controlled loop, and what is seen of its steps. */
export const loops = [
  loopsRead,
  loopStart,
  packetLoopRead,
  packetLoopStart,
  diligenceLoopRead,
  diligenceLoopStart,
  loopAuditPack,
  controlledPilotRead('tokenops'),
  controlledPilotRun('tokenops'),
  controlledPilotRead('financeops'),
  controlledPilotRun('financeops'),
  controlledPilotRead('energyops'),
  controlledPilotRun('energyops'),
  runtimeRunsRead('energyops'),
  runtimeRun('energyops'),
  runtimeRunsRead('financeops'),
  runtimeRun('financeops'),
] as const
