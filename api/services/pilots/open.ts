import { PilotConversations } from './conversation.ts'
import { type InvitationDeps, PilotInvitations } from './invitations.ts'
import { PilotService } from './pilots.ts'

/** The services behind pilots. */
export function openPilots(deps: InvitationDeps) {
  return {
    pilots: new PilotService(deps),
    pilotConversations: new PilotConversations(deps),
    pilotInvitations: new PilotInvitations(deps),
  }
}

export type PilotServices = ReturnType<typeof openPilots>
