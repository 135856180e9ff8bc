import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageAnswer, pageInBody } from '../../page-fields.ts'
import { Prospect, ProspectState, SPRINT_PATH } from './shapes.ts'

/** POST /api/live-prospect-sprint, mode `read_prospects`. */
export const readProspects = operation({
  id: 'read-prospects',
  summary: 'List the prospects, the newest first, with their number by state.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('read_prospects'),
    state: ProspectState.optional(),
    ...pageInBody(1_000_000),
  }),
  output: z
    .strictObject({
      items: z.array(Prospect),
      ...pageAnswer,
      counts: z.record(ProspectState, z.int()).meta({ description: 'By state.' }),
    })
    .meta({ id: 'Prospects' }),
  handle: async ({ state, offset, limit }, { prospects }) => ({
    body: await prospects.list(state, { offset, limit }),
  }),
})
