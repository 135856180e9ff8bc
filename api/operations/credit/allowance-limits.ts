import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { WalletId } from '../payments/shapes.ts'
import { Limits, Wallet } from './wallet-shapes.ts'

/** POST /api/agent-allowance-wallet, mode `set_limits`. */
export const allowanceLimits = operation({
  id: 'allowance-limits',
  summary: 'Set limits of an allowance wallet: its agent narrows them, an operator may widen them.',
  http: { method: 'POST', path: '/api/agent-allowance-wallet', host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['wallets:write'] },
  errors: ['not_found', 'not_owner', 'control_denied'],
  input: z.strictObject({
    mode: z.literal('set_limits'),
    wallet_id: WalletId,
    limits: Limits,
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ wallet: Wallet, receipt: Receipt }).meta({ id: 'LimitedWallet' }),
  handle: async ({ wallet_id, limits }, context) => {
    const { caller, callId } = context
    const by =
      caller.kind === 'operator' ? { operator: caller.id } : { agentId: callingAgentId(context) }
    return {
      body: await context.wallets.limit({ callId, by, walletId: wallet_id, limits }),
    }
  },
})
