import { z } from 'zod'
import { recordKinds } from '#domain/core/record-kinds.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { LedgerEntry, RuntimeRecord, Task } from './shapes.ts'

/** GET /api/agents/tasks/{token}/ledger on the OS host: every transition of the task, the oldest first. */
export const taskLedger = operation({
  id: 'task-ledger',
  summary: 'Read a task, its hash-chained ledger and the runtime records behind it.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/ledger', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  input: z.strictObject({
    kind: z.enum(recordKinds).optional().meta({
      description: 'Leaves the records of this kind; also those of the ledger.',
    }),
    from_sequence: z
      .string()
      .regex(/^[1-9][0-9]{0,8}$/)
      .optional(),
    limit: z
      .string()
      .regex(/^([1-9][0-9]?|1[0-9][0-9]|200)$/)
      .optional()
      .meta({ description: '1 to 200, which is what it is unless given.' }),
  }),
  output: z
    .strictObject({
      task: Task,
      entries: z.array(LedgerEntry),
      head_hash: Digest,
      records: z.array(RuntimeRecord).meta({
        description:
          'The runtime records behind the task, by kind; its entries are those of kind lifecycle_event.',
      }),
      complete: z.boolean().meta({ description: 'Whether the entries reach the head.' }),
    })
    .meta({ id: 'TaskLedger' }),
  handle: async ({ kind, from_sequence = '1', limit = '200' }, context) => {
    const page = { from: Number(from_sequence), most: Number(limit), kind }
    return { body: await context.tasks.ledger(subjectOf(context), page) }
  },
})
