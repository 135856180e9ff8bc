import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { Limits, Wallet } from './wallet-shapes.ts'

/** POST /api/agent-allowance-wallet, mode `create_wallet` or none: the one free wallet of an agent. */
export const allowanceWalletCreate = operation({
  id: 'allowance-wallet-create',
  summary:
    'Create your allowance wallet, free of charge, with limits for a run, a day and the rails that it pays.',
  http: { method: 'POST', path: '/api/agent-allowance-wallet', host: 'base' },
  access: 'agent',
  needs: { scopes: ['wallets:write'] },
  status: [201],
  errors: ['already_exists', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('create_wallet').optional(),
    label: freeText(80).default(''),
    limits: Limits.default({}),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ wallet: Wallet, receipt: Receipt }).meta({ id: 'CreatedWallet' }),
  handle: async ({ label, limits }, context) => {
    const made = { callId: context.callId, agentId: callingAgentId(context), label, limits }
    return { body: await context.wallets.create(made) }
  },
})
