import { z } from 'zod'
import { walletTiers } from '#domain/credit/fees.ts'
import { commercialExamples } from '../../examples/commercial.ts'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { WalletId } from '../payments/shapes.ts'
import { FeeEvent, FeeItem, usd } from './fee-shapes.ts'

const output = z
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
    accrued: z
      .array(FeeEvent)
      .meta({ description: 'Of your wallet, the newest hundred; empty without wallet_id.' }),
    micro_routing_fees_usd: usd
      .nullable()
      .meta({ description: 'The rail fees of your completed runs; null without wallet_id.' }),
  })
  .meta({ id: 'CommercialLayer' })

/** GET /api/agent-commercial-layer: the fee items to anyone, what was posted to the agent of a wallet. */
export const layerRead = operation({
  id: 'commercial-layer-read',
  summary:
    'Read the seven fee items with their amounts, the plans, and what your wallet was charged.',
  http: { method: 'GET', path: '/api/agent-commercial-layer', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['wallets:read'] },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ wallet_id: WalletId.optional() }),
  output,
  example: commercialExamples['commercial-layer-read'],
  handle: async ({ wallet_id }, context) => {
    const own =
      wallet_id === undefined
        ? undefined
        : { walletId: wallet_id, agentId: readingAgentId(context, 'a wallet is read by its agent') }
    return { body: await context.commercialLayer.read(own) }
  },
})
