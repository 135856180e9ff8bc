import { notifyAnswered, notifyInvited } from '../../../temporal/invitations.ts'
import type { Adapters } from '../../adapters.ts'
import { RESPONSE_PATH } from '../../shapes/pilots.ts'
import type { AuthorityServices } from '../authority/open.ts'
import type { CreditServices } from '../credit/open.ts'
import type { InputServices } from '../inputs/open.ts'
import { ControlledPilotService } from './controlled-pilots.ts'
import { PilotConversations } from './conversation.ts'
import { PilotInvitations } from './invitations.ts'
import { NextStepService } from './next-steps.ts'
import { PilotOffers } from './offers.ts'
import { PilotService } from './pilots.ts'
import { PilotRunService } from './runs.ts'

export type PilotServices = ReturnType<typeof openPilots>

/** Pilots, from the invitation or offer to their runs. */
export function openPilots(
  adapters: Adapters,
  used: AuthorityServices & CreditServices & InputServices,
) {
  const { writeGate: gate, quotes, payments, credit, uploadChecks } = used
  const { client, baseUrl } = adapters
  const deps = { ...adapters, gate, quotes, payments, credit, uploadChecks }
  return {
    pilots: new PilotService(deps),
    pilotConversations: new PilotConversations(deps),
    pilotInvitations: new PilotInvitations({
      ...deps,
      responseUrl: baseUrl + RESPONSE_PATH,
      notifyInvited: notifyInvited.bind(null, client),
      notifyAnswered: notifyAnswered.bind(null, client),
    }),
    pilotOffers: new PilotOffers(deps),
    pilotRuns: new PilotRunService(deps),
    controlledPilots: new ControlledPilotService(deps),
    nextSteps: new NextStepService(deps),
  }
}
