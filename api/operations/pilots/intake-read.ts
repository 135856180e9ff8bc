import { z } from 'zod'
import { pilotRequirements } from '#domain/pilots/pilot.ts'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Pilot, pilotContract } from './shapes.ts'

const PilotContract = pilotContract({
  rails: z.array(Rail),
  requirements: z.array(z.string()),
}).meta({ id: 'PilotIntakeContract' })

/** GET /api/pilot-intake: what a pilot is asked for with; with the pilot's token, the pilot. */
export const pilotIntakeRead = operation({
  id: 'pilot-intake-read',
  summary: 'Read what a pilot is asked for with, or your own pilot by its status token.',
  http: { method: 'GET', path: '/api/pilot-intake', host: 'base' },
  access: ['status', 'public'],
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found'],
  output: z.union([z.strictObject({ pilot: Pilot }).meta({ id: 'OwnPilot' }), PilotContract]),
  handle: async (_input, context) => {
    const { caller, pilots, contracts } = context
    if (caller.kind === 'status') return { body: { pilot: await pilots.read(subjectOf(context)) } }
    const contract = await contracts.pilotIntake()
    return { body: { ...contract, rails: pilots.rails(), requirements: [...pilotRequirements] } }
  },
})
