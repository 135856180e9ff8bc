import { z } from 'zod'
import { loopSteps } from '#domain/runs/controlled-loop.ts'
import { recoverCommands } from '#domain/tasks/recover-command.ts'
import { Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { TakenStep } from '../tasks/steps-shape.ts'
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
const Progress = z
  .strictObject({
    run_id: z.string(),
    step: z.enum(loopSteps).nullable().meta({ description: 'Null at the end of the run.' }),
    done: z.int().meta({ description: 'Steps that are done in this attempt.' }),
    of: z.int(),
    attempt: z.int(),
    round: z.int(),
    bytes_read: z.int().nullable().meta({ description: 'Of uploaded lists, by this step.' }),
    bytes_total: z.int().nullable(),
  })
  .meta({ id: 'RunProgress' })
const Trace = z
  .strictObject({
    trace_id: z.string(),
    url: z.string().nullable().meta({ description: 'Where the trace is shown.' }),
  })
  .meta({ id: 'WorkTrace' })

/** GET /api/operator/work/{id}: one payout or task, with everything that happened to it. */
export const workRead = operation({
  id: 'work-read',
  summary: 'Explain one payout or task: what it waits for, what happened, and what unblocks it.',
  http: { method: 'GET', path: '/api/operator/work/{id}', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({ id: text(1, 80) }),
  output: z
    .strictObject({
      ...workLine,
      explanation: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
        .meta({ description: 'What it waits for and what unblocks it, in reading order.' }),
      progress: Progress.nullable().meta({ description: 'Of the run of a task.' }),
      commands: z.array(z.enum(recoverCommands)),
      traces: z.array(Trace).meta({
        description: 'Of the calls that reached its workflow, the newest last.',
      }),
      timeline: z.array(Event),
      steps: z.array(TakenStep).meta({ description: 'Of the run of a task.' }),
      temporal_url: z.string().nullable(),
    })
    .meta({ id: 'WorkDetail' }),
  handle: async ({ id }, context) => ({ body: await context.work.read(id) }),
})
