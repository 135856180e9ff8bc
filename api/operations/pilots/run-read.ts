import { z } from 'zod'
import { pilotRunConditions } from '#domain/pilots/pilot.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { pilotOf } from './caller.ts'
import { Pilot, pilotContract, RunOfPilot } from './shapes.ts'
import { PilotId } from './token.ts'

const PilotRun = z
  .strictObject({
    pilot: Pilot,
    run: RunOfPilot.nullable(),
    conditions: z.array(
      z.strictObject({ condition: z.enum(pilotRunConditions), met: z.boolean() }),
    ),
  })
  .meta({ id: 'PilotRun' })
const PilotRunContract = pilotContract({}).meta({ id: 'PilotRunContract' })

/** GET /api/first-pilot-run-execution: how the run of a pilot is started; to who it belongs, the pilot with its run. */
export const firstPilotRead = operation({
  id: 'first-pilot-read',
  summary: 'Read how the first run of a pilot is started, or a pilot with its run and conditions.',
  http: { method: 'GET', path: '/api/first-pilot-run-execution', host: 'base' },
  access: ['agent', 'status', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found'],
  input: z.strictObject({ pilot_id: PilotId.optional() }),
  output: z.union([PilotRun, PilotRunContract]),
  handle: async ({ pilot_id }, context) => {
    const { caller, contracts, pilotRuns } = context
    if (pilot_id === undefined && caller.kind !== 'status')
      return { body: await contracts.pilotRun() }
    const named = pilotOf(context, pilot_id)
    if (caller.kind === 'status') return { body: await pilotRuns.read({ pilotId: named }, named) }
    if (caller.kind === 'operator') return { body: await pilotRuns.read({ operator: true }, named) }
    return { body: await pilotRuns.read({ agentId: agentIdOf(context) }, named) }
  },
})
