import { z } from 'zod'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'

export const Exception = z
  .strictObject({
    exception_id: z.string().regex(/^ex_[0-9a-f]{64}$/),
    code: z.string(),
    subject: z.string(),
    state: z.enum(['open', 'closed']),
    evidence: z
      .looseObject({})
      .meta({ description: 'Both sides as they were seen: stored and found.' }),
    seen: z
      .boolean()
      .meta({ description: 'Whether the last reconciliation still saw the difference.' }),
    first_seen_at: Time,
    last_seen_at: Time,
    closed_at: Time.nullable(),
    closed_by: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ReconciliationException' })

/** GET /api/operator/reconciliation: the signed statement of a day, the last run, and the open exceptions. */
export const reconciliation = operation({
  id: 'reconciliation',
  summary:
    'Read the signed daily statement, the last reconciliation, and the exceptions that are open, newest first.',
  http: { method: 'GET', path: '/api/operator/reconciliation', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({
    day: z.iso
      .date()
      .optional()
      .meta({ description: 'A day in UTC; the latest statement unless given.' }),
  }),
  output: z
    .strictObject({
      day: z.string().nullable(),
      statement: z.looseObject({}).nullable().meta({ description: 'The claims of `jws`.' }),
      jws: z
        .string()
        .nullable()
        .meta({ description: 'Compact JWS, typ statement+jwt, signed by the receipt ring.' }),
      last_run: z
        .strictObject({
          reconciliation_id: z.string(),
          scope: z.enum(['changed', 'all']),
          from_block: z.int(),
          through_block: z.int(),
          compared: z.int(),
          differences: z.int(),
          started_at: Time,
          completed_at: Time.nullable(),
        })
        .nullable(),
      exceptions: z.array(Exception),
    })
    .meta({ id: 'Reconciliation' }),
  handle: async ({ day }, context) => ({
    body: await context.reconciliation.read(day),
  }),
})
