import { z } from 'zod'
import { walletTiers } from '#domain/credit/fees.ts'
import { operation } from '../../operation.ts'
import { agentIdOf, readingAgentId } from '../agents/caller.ts'
import { WalletId } from '../payments/shapes.ts'
import { FeeEvent, FeeItem, usd } from './fee-shapes.ts'

/** GET /api/agent-commercial-layer: the fee items to anyone, what was posted to an agent, in all or from a wallet. */
export const layerRead = operation({
  id: 'commercial-layer-read',
  summary: 'Read the seven fee items with their amounts, the plans, and what you were charged.',
  http: { method: 'GET', path: '/api/agent-commercial-layer', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['wallets:read'] },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ wallet_id: WalletId.optional() }),
  output: z
    .strictObject({
      fee_items: z.array(
        z.strictObject({
          item: FeeItem,
          rule: z.string(),
          amount: z.int().min(0),
          unit: z.string(),
        }),
      ),
      plans: z.array(
        z.strictObject({
          plan: z.enum(walletTiers),
          usd_per_month: usd,
          wallet_usd_per_day: usd,
        }),
      ),
      accrued: z.array(FeeEvent).meta({
        description:
          'Your newest hundred, or those that the wallet paid; empty without an access key.',
      }),
      micro_routing_fees_usd: usd.nullable().meta({
        description:
          'The rail fees of your completed runs, or of those that the wallet paid; null without an access key.',
      }),
    })
    .meta({ id: 'CommercialLayer' }),
  handle: async ({ wallet_id }, context) => {
    const agentId =
      wallet_id === undefined
        ? agentIdOf(context)
        : readingAgentId(context, 'a wallet is read by its agent')
    const own = agentId === undefined ? undefined : { agentId, walletId: wallet_id }
    return { body: await context.commercialLayer.read(own) }
  },
})
