import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { WalletId } from '../payments/shapes.ts'
import { feeModel, productParts, Wallet } from './wallet-shapes.ts'

/** GET /api/agent-allowance-wallet: what the wallet product is, and to an agent its wallet; by its id also to an operator. */
export const allowanceWalletRead = operation({
  id: 'allowance-wallet-read',
  summary:
    'Read what an allowance wallet is and costs, or a wallet of your own with its balance, limits and postings.',
  http: { method: 'GET', path: '/api/agent-allowance-wallet', host: 'base' },
  access: ['agent', 'operator', 'public'],
  needs: { scopes: ['wallets:read'] },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ wallet_id: WalletId.optional() }),
  output: z
    .strictObject({
      product_parts: z.array(z.enum(productParts)),
      fee_model: z.string(),
      wallet: Wallet.nullable(),
    })
    .meta({ id: 'AllowanceWalletRead' }),
  handle: async ({ wallet_id }, context) => {
    const product = { product_parts: [...productParts], fee_model: feeModel }
    const agentId = agentIdOf(context)
    if (wallet_id === undefined) {
      const wallet = agentId === undefined ? null : await context.wallets.readOf(agentId)
      return { body: { ...product, wallet } }
    }
    if (context.caller.kind === 'public')
      throw refuse('credential_required', {
        detail: 'a wallet is read by its agent',
      })
    return { body: { ...product, wallet: await context.wallets.read(wallet_id, agentId) } }
  },
})
