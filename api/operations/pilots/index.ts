import { pilotConversationAdd } from './conversation-add.ts'
import { pilotConversationRead } from './conversation-read.ts'
import { pilotIntakeRead } from './intake-read.ts'
import { pilotIntakeSubmit } from './intake-submit.ts'
import { invitationRead } from './invitation-read.ts'
import { invitationRespond } from './invitation-respond.ts'
import { pilotInvite } from './invite.ts'
import { offerLaunch } from './offer-launch.ts'
import { offersRead } from './offers-read.ts'
import { firstPilotRead } from './run-read.ts'
import { firstPilotRun } from './run-start.ts'

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
