import { z } from 'zod'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { AccountId, ControlName, controlled, FeeUsdPerMonth } from './control-shapes.ts'

/** GET /api/enterprise-controls: the catalog to anyone, its own controls to an agent, those of any account to an operator. */
export const controlsRead = operation({
  id: 'enterprise-controls-read',
  summary: 'Read which controls an account can have, where each is enforced, and your own.',
  http: { method: 'GET', path: '/api/enterprise-controls', host: 'base' },
  access: ['agent', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['not_found', 'not_owner'],
  input: z.strictObject({ account_id: AccountId.optional() }),
  output: z
    .strictObject({
      controls_catalog: z.array(
        z.strictObject({
          control: ControlName,
          kind: z.string(),
          bounds: z.string(),
          enforced_at: z.array(z.string()),
        }),
      ),
      fee_usd_per_month: FeeUsdPerMonth,
      own: z.strictObject(controlled).nullable(),
    })
    .meta({ id: 'EnterpriseControls' }),
  handle: async ({ account_id }, context) => {
    const { caller } = context
    const agentId = agentIdOf(context)
    if (caller.kind === 'operator' && account_id !== undefined)
      return { body: await context.accountControls.read({ operator: caller.id }, account_id) }
    const by = agentId === undefined ? undefined : { agentId }
    return { body: await context.accountControls.read(by, account_id) }
  },
})
