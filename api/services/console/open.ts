import { InboxService } from '../reviews/inbox.ts'
import { AgentKeyService } from './agent-keys.ts'
import { ControlsService } from './controls.ts'
import { KeyRingService } from './key-rings.ts'
import { MandateViews } from './mandates.ts'
import { MoneyService } from './money.ts'
import { SessionService } from './sessions.ts'
import { WorkService } from './work.ts'

type ConsoleDeps = ConstructorParameters<typeof WorkService>[0] &
  ConstructorParameters<typeof MoneyService>[0] &
  ConstructorParameters<typeof SessionService>[0] &
  ConstructorParameters<typeof AgentKeyService>[0] &
  ConstructorParameters<typeof InboxService>[0]

/** The services of the operator console. */
export type ConsoleServices = ReturnType<typeof openConsoleServices>

export const openConsoleServices = (deps: ConsoleDeps) => ({
  sessions: new SessionService(deps),
  inbox: new InboxService(deps),
  work: new WorkService(deps),
  money: new MoneyService(deps),
  agentKeys: new AgentKeyService(deps),
  switches: new ControlsService(deps.db),
  mandateViews: new MandateViews(deps),
  keyRings: new KeyRingService(deps),
})
