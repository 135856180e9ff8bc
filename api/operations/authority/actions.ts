import { z } from 'zod'
import { SignedAction } from '#domain/authority/artifacts.ts'
import { grantConsumed } from '../../delegation/consumed.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { ControlPlane, contractOf } from './mandates.ts'
import {
  Action,
  actionBodyBytes,
  authorityPath,
  Decision,
  GrantAction,
  GrantId,
  IssuedGrant,
  MandateRemaining,
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

/**
 * POST /api/delegated-authority, mode `execute_delegated_action`. The grant is consumed and the price reserved in the transaction
 * that stores the action; a workflow then runs the operation. 201 says that the operation's result is recorded; it is answered once, as
 * the first document says of a grant that is presented again (Authentication 3).
 */
export const executeDelegatedAction = operation({
  id: 'execute-delegated-action',
  summary:
    'Execute one action under a mandate and a grant; the answer carries the operation’s own result.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'agent',
  needs: { scopes: ['actions:execute'] },
  limits: { bodyBytes: actionBodyBytes },
  status: [201],
  errors: [
    'authority_denied',
    'grant_consumed',
    'rail_not_allowed',
    'payment_required',
    'not_found',
    'forbidden_material',
  ],
  idempotency: { kind: 'body', key: ({ action }) => action.idempotency_key },
  input: z.strictObject({
    mode: z.literal('execute_delegated_action'),
    signed_mandate: PresentedMandate,
    signed_action_grant: PresentedGrant,
    action: Action,
  }),
  output: z
    .strictObject({
      delegated_action: z.strictObject({
        action_id: z.string(),
        operation_id: z.string(),
        status: z.int().meta({ description: 'The status of the operation’s own answer.' }),
        result: z.looseObject({}).meta({ description: 'The operation’s own answer.' }),
        signed_action: SignedAction,
      }),
      grant_id: GrantId,
      mandate_remaining: MandateRemaining,
      receipt: Receipt,
    })
    .meta({ id: 'ExecutedAction' }),
  refuseRepeat: ({ delegated_action, grant_id, receipt }) =>
    grantConsumed(grant_id, { first_result: delegated_action, receipt }),
  handle: async ({ mode: _mode, ...asked }, context) => ({
    body: await context.delegations.execute(asked, context),
  }),
})

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

/** POST /api/delegated-authority, mode `read_control_plane`. */
export const readControlPlane = operation({
  id: 'read-control-plane',
  summary: 'The contract of delegated authority with live counts.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'public',
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_control_plane') }),
  output: ControlPlane,
  handle: async (_input, context) => ({
    body: { ...(await contractOf(context)), live: await context.mandates.live() },
  }),
})
