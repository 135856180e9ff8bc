import type { Adapters } from '../../adapters.ts'
import { AgentKeyService } from './agent-keys.ts'
import { ControlsService } from './controls.ts'
import { KeyRingService } from './key-rings.ts'
import { MandateViews } from './mandates.ts'
import { MoneyService } from './money.ts'
import { SessionService } from './sessions.ts'

/** What only the operator console shows. */
export const openConsole = (adapters: Adapters) => ({
  sessions: new SessionService(adapters),
  money: new MoneyService(adapters),
  agentKeys: new AgentKeyService(adapters),
  switches: new ControlsService(adapters.db),
  mandateViews: new MandateViews(adapters),
  keyRings: new KeyRingService(adapters),
})
