import { z } from 'zod'
import { walletTiers } from '#domain/credit/fees.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { FeeEventId } from '../commercial/fee-shapes.ts'
import { Receipt } from '../operators/receipt.ts'
import { WalletId } from '../payments/shapes.ts'
import { Wallet } from './wallet-shapes.ts'

/** POST /api/agent-allowance-wallet, mode `set_tier`. */
export const allowanceTier = operation({
  id: 'allowance-tier',
  summary: 'Make your allowance wallet premium, which pays the fee of the month, or free again.',
  http: { method: 'POST', path: '/api/agent-allowance-wallet', host: 'base' },
  access: 'agent',
  needs: { scopes: ['wallets:write'] },
  errors: ['not_found', 'not_owner', 'control_denied', 'payment_required', 'paused'],
  input: z.strictObject({
    mode: z.literal('set_tier'),
    wallet_id: WalletId,
    tier: z.enum(walletTiers).meta({ description: 'premium pays more in a day.' }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ wallet: Wallet, fee_event_id: FeeEventId.nullable(), receipt: Receipt })
    .meta({ id: 'TieredWallet' }),
  handle: async ({ wallet_id: walletId, tier }, context) => {
    const { callId } = context
    const agentId = callingAgentId(context)
    return { body: await context.wallets.setTier({ callId, agentId, walletId, tier }) }
  },
})
