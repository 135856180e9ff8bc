import { z } from 'zod'
import { operation } from '../../operation.ts'
import {
  actionBodyBytes,
  authorityPath,
  GrantAction,
  IssuedGrant,
  PresentedMandate,
} from './shapes.ts'

/** POST /api/delegated-authority, mode `issue_action_grant`: single use, for one operation with one input. */
export const issueActionGrant = operation({
  id: 'issue-action-grant',
  summary:
    'Issue a grant for one call that a mandate permits; it is used once, within 300 seconds.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'operator',
  limits: { bodyBytes: actionBodyBytes },
  status: [201],
  errors: ['authority_denied', 'not_found', 'forbidden_material'],
  idempotency: { kind: 'body', key: ({ action }) => action.idempotency_key },
  input: z.strictObject({
    mode: z.literal('issue_action_grant'),
    signed_mandate: PresentedMandate,
    action: GrantAction,
  }),
  output: IssuedGrant,
  handle: async ({ mode: _mode, ...asked }, context) => ({
    body: await context.delegations.issueGrant(asked, context),
  }),
})
