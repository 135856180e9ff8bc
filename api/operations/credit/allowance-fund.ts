import { z } from 'zod'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { paymentReferenceCreate } from '../payments/payment-reference-create.ts'
import { PaymentReference, Verification, WalletId } from '../payments/shapes.ts'
import { fundedBy, funding, fundingForms, fundingMessage, isFunding } from './funding.ts'
import { Wallet } from './wallet-shapes.ts'

/**
 * POST /api/agent-allowance-wallet, mode `fund_allowance`: presents a payment into a wallet, or checks one again.
 * By x402 without a signed payment, it answers 402 with what is to be signed.
 */
export const allowanceFund = operation({
  id: 'allowance-fund',
  summary:
    'Pay into your allowance wallet by a payment presented before, or by a new one; it counts once it is confirmed.',
  http: { method: 'POST', path: '/api/agent-allowance-wallet', host: 'base' },
  access: 'agent',
  needs: { scopes: ['wallets:write'] },
  status: [202],
  errors: ['payment_required', 'unsupported_request', ...paymentReferenceCreate.errors],
  limits: { bodyBytes: 65_536 },
  input: z
    .strictObject({
      mode: z.literal('fund_allowance'),
      wallet_id: WalletId,
      ...funding,
      idempotency_key: IdempotencyKey,
    })
    .refine(isFunding, fundingMessage)
    .meta(fundingForms),
  output: z
    .strictObject({
      wallet: Wallet,
      payment_reference: PaymentReference,
      verification: Verification,
    })
    .meta({ id: 'FundedWallet' }),
  handle: async ({ mode: _mode, wallet_id, ...given }, context) => ({
    body: await context.wallets.fund(callingAgentId(context), wallet_id, fundedBy(given)),
  }),
})
