import { z } from 'zod'
import { commercialExamples } from '../../examples/commercial.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { AccountId, ControlName, ControlsAsked, controlled } from './control-shapes.ts'

const output = z
  .strictObject({ ...controlled, changed: z.array(ControlName), receipt: Receipt })
  .meta({ id: 'ChangedControls' })

/** POST /api/enterprise-controls, mode `set_controls` or none. */
export const controlsSet = operation({
  id: 'enterprise-controls-set',
  summary: 'Set controls of an account: its agent narrows them, an operator may widen them.',
  http: { method: 'POST', path: '/api/enterprise-controls', host: 'base' },
  mode: 'set_controls',
  defaultMode: true,
  access: ['agent', 'operator'],
  needs: { scopes: ['controls:write'] },
  errors: ['not_found', 'not_owner', 'control_denied', 'forbidden_material'],
  idempotency: { kind: 'body' },
  input: z.strictObject({
    mode: z.literal('set_controls').optional(),
    account_id: AccountId.optional(),
    controls: ControlsAsked,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output,
  example: commercialExamples['enterprise-controls-set'],
  handle: async ({ account_id: accountId, controls, reason }, context) => {
    const { caller, callId } = context
    const by =
      caller.kind === 'operator' ? { operator: caller.id } : { agentId: callingAgentId(context) }
    return {
      body: await context.accountControls.set({ callId, by, accountId, controls, reason }),
    }
  },
})
