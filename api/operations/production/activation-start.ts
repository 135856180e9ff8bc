import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Tier } from '../payments/shapes.ts'
import { CustomerActivation } from './activation-shapes.ts'

/** POST /api/customer-activation-path: begins nothing but the record; its steps are read from others. */
export const activationStart = operation({
  id: 'activation-start',
  summary: 'Begin to activate a customer account for a rail and tier.',
  http: { method: 'POST', path: '/api/customer-activation-path', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st'], signed: true },
  limits: { addressPerMinute: 30 },
  status: [201],
  errors: ['already_exists', 'rail_not_allowed', 'trust_required'],
  input: z.strictObject({
    customer_account: freeText(160, 1),
    rail: Rail,
    tier: Tier,
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ activation: CustomerActivation })
    .meta({ id: 'StartedCustomerActivation' }),
  handle: async ({ idempotency_key: _key, ...asked }, context) => ({
    body: await context.activationPaths.start(
      { ...asked, agentId: callingAgentId(context) },
      context.callId,
    ),
  }),
})
