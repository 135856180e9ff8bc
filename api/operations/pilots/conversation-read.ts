import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { pilotOf } from './caller.ts'
import { Pilot, PilotEntry } from './shapes.ts'
import { PilotId } from './token.ts'

const output = z
  .strictObject({
    pilot: Pilot,
    entries: z.array(PilotEntry).meta({ description: 'The newest first.' }),
    offset: z.int().min(0),
    limit: z.int().min(1),
    total: z.int().min(0),
    next_step: z.string().meta({
      description: 'As an operator said last, else as it follows from the state.',
    }),
  })
  .meta({ id: 'PilotConversation' })

/** GET /api/pilot-conversation-tracker: what was said about a pilot, to the holder of its token and to operators. */
export const pilotConversationRead = operation({
  id: 'pilot-conversation-read',
  summary: 'Read what was said about a pilot, the newest first, and what happens next.',
  http: { method: 'GET', path: '/api/pilot-conversation-tracker', host: 'base' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['pt'], signed: false },
  errors: ['not_found'],
  input: z.strictObject({
    pilot_id: PilotId.optional().meta({
      description: 'For operators; a token names its own pilot.',
    }),
    ...pageFields(3),
  }),
  output,
  handle: async ({ pilot_id, ...page }, context) => ({
    body: await context.pilotConversations.read(pilotOf(context, pilot_id), pageOf(page)),
  }),
})
