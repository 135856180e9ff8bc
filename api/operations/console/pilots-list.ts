import { z } from 'zod'
import { pilotSources, pilotStates } from '#domain/pilots/pilot.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../agents/shapes.ts'
import { Pilot } from '../pilots/shapes.ts'
import { SearchText } from './shapes.ts'

const PilotLine = z
  .strictObject({
    ...Pilot.shape,
    contact: z.string().nullable(),
    agent_id: z.string().nullable(),
    state_since: Time,
    waiting_since: Time.nullable().meta({
      description: 'Null where nothing waits for a decision.',
    }),
  })
  .meta({ id: 'PilotLine' })

/** GET /api/operator/pilots: the pilots of every source, controlled ones too, the newest first. */
export const pilotsList = operation({
  id: 'pilots-list',
  summary: 'List pilots of every source by rail, state, client or id, the newest first.',
  http: { method: 'GET', path: '/api/operator/pilots', host: 'base' },
  access: 'operator',
  input: z.strictObject({
    q: SearchText.optional().meta({
      description: 'A whole id of a pilot, agent or work order, or a part of the name of a client.',
    }),
    rail: Rail.optional(),
    state: z.enum(pilotStates).optional(),
    source: z.enum(pilotSources).optional(),
    ...pageFields(5),
  }),
  output: z
    .strictObject({
      items: z.array(PilotLine),
      offset: z.int(),
      limit: z.int(),
      total: z.int(),
    })
    .meta({ id: 'PilotLines' }),
  handle: async ({ q, rail, state, source, ...page }, { pilots }) => ({
    body: await pilots.list({ text: q, rail, states: state && [state], source }, pageOf(page)),
  }),
})
