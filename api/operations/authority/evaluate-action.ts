import { z } from 'zod'
import { operation } from '../../operation.ts'
import {
  Action,
  actionBodyBytes,
  authorityPath,
  Decision,
  PresentedGrant,
  PresentedMandate,
} from './shapes.ts'

/** POST /api/delegated-authority, mode `evaluate_action`. It uses nothing; a denial is a 200. */
export const evaluateAction = operation({
  id: 'evaluate-action',
  summary:
    'Ask whether a mandate permits an action now; the decision is stored with its rules and a receipt.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['authority:read'] },
  limits: { bodyBytes: actionBodyBytes },
  errors: ['forbidden_material'],
  // Each call leaves a decision and its receipt.
  uses: () => ({ records: 1 }),
  idempotency: { kind: 'effect' },
  input: z.strictObject({
    mode: z.literal('evaluate_action'),
    signed_mandate: PresentedMandate,
    signed_action_grant: PresentedGrant.optional(),
    action: Action,
  }),
  output: Decision,
  handle: async ({ mode: _mode, ...asked }, context) => ({
    body: await context.delegations.evaluate(asked, context),
  }),
})
