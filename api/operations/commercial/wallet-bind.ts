import { z } from 'zod'
import { Address, IdempotencyKey, WalletSignature } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { controlled } from './control-shapes.ts'

/** POST /api/enterprise-controls, mode `bind_wallet`: the payouts of the wallet then read the account's controls. */
export const walletBind = operation({
  id: 'enterprise-wallet-bind',
  summary: 'Bind a wallet to your account by its signature; its payouts then obey your controls.',
  http: { method: 'POST', path: '/api/enterprise-controls', host: 'base' },
  access: 'agent',
  needs: { scopes: ['controls:write'] },
  status: [201],
  errors: ['proof_invalid', 'already_bound', 'wrong_state'],
  input: z.strictObject({
    mode: z.literal('bind_wallet'),
    wallet: Address.meta({ description: 'The wallet that signed.' }),
    signature: WalletSignature.meta({
      description: 'By personal_sign over the text that names origin, account and wallet.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ ...controlled, receipt: Receipt }).meta({ id: 'BoundWallet' }),
  handle: async ({ wallet, signature }, context) => {
    const { callId } = context
    const binding = { callId, agentId: callingAgentId(context), wallet, signature }
    return { body: await context.accountControls.bind(binding) }
  },
})
