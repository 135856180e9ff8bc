import { z } from 'zod'
import { operation } from '../../operation.ts'
import { pageFields, pageOf } from '../../page-fields.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Claim, ClaimId, EXCHANGE_PATH, OpenOrder } from './shapes.ts'

/** GET /api/work-order-exchange: what any caller sees, and the claims of the agent that asks. */
export const exchangeRead = operation({
  id: 'exchange-read',
  summary:
    'List the work orders that may be claimed, the newest first, and your own newest 25 claims.',
  http: { method: 'GET', path: EXCHANGE_PATH, host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({
    rail: Rail.optional(),
    claim_id: ClaimId.optional(),
    ...pageFields(3),
  }),
  output: z
    .strictObject({
      items: z.array(OpenOrder),
      offset: z.int(),
      limit: z.int(),
      total: z.int().meta({
        description: 'Counted up to 1000, among the 10000 approved ones that were made last.',
      }),
      claims: z.array(
        z.strictObject({
          ...Claim.shape,
          input: z
            .looseObject({})
            .nullable()
            .meta({ description: 'Of the claim that claim_id names, while it is held.' }),
        }),
      ),
    })
    .meta({ id: 'WorkOrderExchange' }),
  handle: async ({ rail, claim_id, offset, limit }, context) => ({
    body: await context.exchange.list(
      { agentId: agentIdOf(context), claimId: claim_id, rail },
      pageOf({ offset, limit }),
    ),
  }),
})
