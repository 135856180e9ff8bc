import type { InvitationSteps } from '../../workflows/invitation/activities.ts'
import { advanceInvitation } from '../store/pilots/invitations.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'

/** The step of invitations, whose rows say what is due. */
export const createInvitationSteps = ({ db }: { readonly db: Tx }): InvitationSteps => ({
  advanceInvitation: async (pilotId) => {
    const row = await transaction(db, (tx) => advanceInvitation(tx, pilotId))
    if (row === undefined) return null
    const { state, reminded_at, wait_ms: waitMs } = row
    return { pilotId, state, reminded: reminded_at !== null, waitMs }
  },
})
