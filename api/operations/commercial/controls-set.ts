import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { AccountId, ControlName, ControlsAsked, controlled } from './control-shapes.ts'

/** POST /api/enterprise-controls, mode `set_controls` or none. */
export const controlsSet = operation({
  id: 'enterprise-controls-set',
  summary:
    'Set controls of an account: its agent narrows them for a monthly fee, an operator may widen them.',
  http: { method: 'POST', path: '/api/enterprise-controls', host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['controls:write'] },
  errors: ['not_found', 'not_owner', 'control_denied', 'fee_not_accepted', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('set_controls').optional(),
    account_id: AccountId.optional(),
    controls: ControlsAsked,
    reason: freeText(500, 1),
    accept_fee: z.boolean().optional().meta({
      description:
        'True accepts the monthly fee enterprise_controls (`fee_usd_per_month` of GET on this path; 499 usd by default), which the first controls that the agent sets start. Without it they are refused by 422 fee_not_accepted, which names the amount. False ends a fee that was accepted with the current UTC month, which is not refunded; the controls stay. An operator starts and ends no fee.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ ...controlled, changed: z.array(ControlName), receipt: Receipt })
    .meta({ id: 'ChangedControls' }),
  handle: async ({ account_id: accountId, accept_fee: acceptFee, controls, reason }, context) => {
    const { caller, callId } = context
    const by =
      caller.kind === 'operator' ? { operator: caller.id } : { agentId: callingAgentId(context) }
    const change = { callId, by, accountId, controls, reason, acceptFee }
    return { body: await context.accountControls.set(change) }
  },
})
