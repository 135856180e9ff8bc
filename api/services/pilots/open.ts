import { PilotConversations } from './conversation.ts'
import { type PilotDeps, PilotService } from './pilots.ts'

/** The services behind pilots. */
export function openPilots(deps: PilotDeps) {
  return { pilots: new PilotService(deps), pilotConversations: new PilotConversations(deps) }
}
