import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { operatorCall } from '../operators/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { numbers, SPRINT_PATH, SprintId } from './shapes.ts'

/** POST /api/live-prospect-sprint, mode `record_sprint_summary`: the numbers are those of the records, whatever the note says. */
export const recordSprintSummary = operation({
  id: 'record-sprint-summary',
  summary: 'Sign the numbers of the sprint with a note; with close the next sprint begins.',
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  access: 'operator',
  status: [201],
  errors: ['forbidden_material'],
  input: z.strictObject({
    mode: z.literal('record_sprint_summary'),
    note: freeText(4000, 1),
    close: z.boolean().default(false),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      sprint_id: SprintId,
      summary: z.strictObject({ ...numbers, note: z.string() }),
      receipt: Receipt,
    })
    .meta({ id: 'SprintSummary' }),
  handle: async ({ note, close }, context) => ({
    body: await context.prospects.summarise({ note, close }, operatorCall(context)),
  }),
})
