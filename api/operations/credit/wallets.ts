import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { walletTiers } from '#domain/credit/fees.ts'
import { callerIn } from '../../caller.ts'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import type { FundedBy } from '../../services/credit/credit.ts'
import { FeeEventId } from '../../shapes/accounts.ts'
import { feeModel, Limits, productParts, Wallet } from '../../shapes/credit.ts'
import {
  PaymentReference,
  payment,
  ReferenceId,
  Verification,
  WalletId,
} from '../../shapes/payments.ts'
import { Receipt } from '../../shapes/receipts.ts'
import { paymentReferenceCreate } from '../payments/references.ts'

/** A payment presented before by its id, or a new one with the amount that its payer takes it to be. */
export const funding = {
  ...payment,
  payment_reference_id: ReferenceId.optional(),
  method: payment.method.optional(),
  external_reference: payment.external_reference.optional(),
  amount_usd: z.int().min(1).max(1_000_000).optional(),
}
type Given = z.output<z.ZodObject<typeof funding>>

/** Whether it is exactly one of the two; the published schema says so by `fundingForms`. */
export const isFunding = ({
  payment_reference_id,
  method,
  external_reference,
  amount_usd,
}: Given): boolean => {
  const named = [method, external_reference, amount_usd]
  const wanted = payment_reference_id === undefined
  return named.every((one) => (one !== undefined) === wanted)
}
export const fundingMessage = {
  message: 'give payment_reference_id, or else method, external_reference and amount_usd',
}
export const fundingForms = {
  oneOf: [
    { required: ['payment_reference_id'] },
    { required: ['method', 'external_reference', 'amount_usd'] },
  ],
}

/** The payment as the services take it. */
export function fundedBy({ payment_reference_id, ...given }: Given): FundedBy {
  if (payment_reference_id !== undefined) return { payment_reference_id }
  const {
    method = 'payment_reference',
    external_reference = '',
    amount_usd = 0,
    payer,
    proof,
    evidence,
    provider,
  } = given
  return { method, external_reference, amount_usd, payer, proof, evidence, provider }
}

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
    body: await context.wallets.fund(callerIn(context).requiredAgentId, wallet_id, fundedBy(given)),
  }),
})

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
      caller.kind === 'operator'
        ? { operator: caller.id }
        : { agentId: callerIn(context).requiredAgentId }
    return {
      body: await context.wallets.limit({ callId, by, walletId: wallet_id, limits }),
    }
  },
})

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
    const agentId = callerIn(context).requiredAgentId
    return { body: await context.wallets.setTier({ callId, agentId, walletId, tier }) }
  },
})

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
    const made = {
      callId: context.callId,
      agentId: callerIn(context).requiredAgentId,
      label,
      limits,
    }
    return { body: await context.wallets.create(made) }
  },
})

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
    const agentId = callerIn(context).agentId
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
