import {
  pilotConversationAdd,
  pilotConversationRead,
  pilotIntakeRead,
  pilotIntakeSubmit,
} from './intake.ts'
import { invitationRead, invitationRespond, pilotInvite } from './invitations.ts'
import { firstPilotRead, firstPilotRun, offerLaunch, offersRead } from './offers.ts'

/** Pilots of clients, from their intake to their first run. */
export const pilots = [
  pilotIntakeRead,
  pilotIntakeSubmit,
  pilotConversationRead,
  pilotConversationAdd,
  pilotInvite,
  invitationRead,
  invitationRespond,
  firstPilotRead,
  firstPilotRun,
  offersRead,
  offerLaunch,
] as const
