import { z } from 'zod'
import { recoverCommands } from '#domain/tasks/recover-command.ts'
import { consoleExamples } from '../../examples/console.ts'
import { Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { workLine } from './work-list.ts'

const Event = z
  .strictObject({
    at: Time,
    what: z.enum(['state', 'receipt', 'transaction', 'step']),
    name: z.string(),
    detail: z.string(),
    reference: z
      .string()
      .nullable()
      .meta({ description: 'A receipt, transaction, hash or digest.' }),
    url: z.string().nullable().meta({ description: 'Where a block explorer shows it.' }),
  })
  .meta({ id: 'TimelineEvent' })
const output = z
  .strictObject({
    ...workLine,
    explanation: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'What it waits for and what unblocks it, in reading order.' }),
    commands: z.array(z.enum(recoverCommands)),
    timeline: z.array(Event),
    temporal_url: z.string().nullable(),
  })
  .meta({ id: 'WorkDetail' })

/** GET /api/operator/work/{id}: one payout or task, with everything that happened to it. */
export const workRead = operation({
  id: 'work-read',
  summary: 'Explain one payout or task: what it waits for, what happened, and what unblocks it.',
  http: { method: 'GET', path: '/api/operator/work/{id}', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({ id: text(1, 80) }),
  output,
  example: consoleExamples['work-read'],
  handle: async ({ id }, context) => ({ body: await context.work.read(id) }),
})
