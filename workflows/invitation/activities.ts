import type { PilotState } from '../domain/pilots/pilot.ts'

/** What the workflow of an invitation knows of it; who is invited and to what stays out of its history. */
export type InvitationSnapshot = {
  pilotId: string
  state: PilotState
  reminded: boolean
  /** Milliseconds until the reminder or the end is due; 0 where nothing is. */
  waitMs: number
}

/** The step of an invitation. It may run twice: the row says what is due, and each is done once. */
export interface InvitationSteps {
  /** Reminds the operators or ends the invitation, where that is due. Null for an unknown pilot. */
  advanceInvitation(pilotId: string): Promise<InvitationSnapshot | null>
}
