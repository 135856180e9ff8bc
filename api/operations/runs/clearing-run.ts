import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { Clearing, Obligation, PolicyScope } from './clearing-shapes.ts'
import { RunId } from './shapes.ts'

/** POST /api/agent-run-clearing-spine: one clearing for each head of the run’s ledger and state of its payment. */
export const clearingRun = operation({
  id: 'clearing-run',
  summary:
    'Clear a run of yours: its result, receipts, payment and scope, as they stand now, lead to a decision with a signed receipt.',
  http: { method: 'POST', path: '/api/agent-run-clearing-spine', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  limits: { addressPerMinute: 60 },
  status: [201],
  errors: ['not_found', 'contention', 'forbidden_material'],
  input: z.strictObject({
    run_id: RunId,
    obligation: Obligation,
    policy_scope: PolicyScope.prefault({}),
    idempotency_key: IdempotencyKey,
  }),
  output: Clearing,
  handle: async ({ run_id, obligation, policy_scope }, context) => ({
    body: await context.clearings.run({
      caller: moverOf(context),
      runId: run_id,
      asked: { obligation, policy_scope },
      callId: context.callId,
    }),
  }),
})
