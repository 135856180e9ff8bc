import { loopAuditPack } from './audit-pack.ts'
import { controlledPilotRead, controlledPilotRun } from './controlled-pilots.ts'
import { diligenceLoopRead } from './diligence-loop-read.ts'
import { diligenceLoopStart } from './diligence-loop-start.ts'
import { loopStart } from './loop-start.ts'
import { loopsRead } from './loops-read.ts'
import { packetLoopRead } from './packet-loop-read.ts'
import { packetLoopStart } from './packet-loop-start.ts'
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
