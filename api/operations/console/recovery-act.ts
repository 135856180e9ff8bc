import { z } from 'zod'
import { recoverCommands } from '#domain/tasks/recover-command.ts'
import { freeText, IdempotencyKey, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Outcome } from './shapes.ts'

/** POST /api/operator/work: recovers stopped payouts and tasks, each with its signed receipt. */
export const recoveryAct = operation({
  id: 'recovery-act',
  summary: 'Wake or recover stopped payouts and tasks, or only try it; each gets an outcome.',
  http: { method: 'POST', path: '/api/operator/work', host: 'base' },
  access: 'operator',
  errors: ['forbidden_material'],
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    act: z.enum(recoverCommands),
    ids: z.array(text(1, 80)).min(1).max(100).meta({ description: 'Of payouts, tasks or runs.' }),
    reason: freeText(500, 1),
    input: z
      .looseObject({})
      .optional()
      .meta({ description: 'The whole input of the run, to supply evidence or to correct it.' }),
    dry_run: z.boolean().default(false),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ outcomes: z.array(Outcome) }).meta({ id: 'RecoveryOutcomes' }),
  handle: async ({ act, ids, reason, input, dry_run, idempotency_key: key }, context) => {
    const batch = { act, ids, reason, input, key, dryRun: dry_run }
    return { body: { outcomes: await context.work.act(callingOperator(context), batch) } }
  },
})
