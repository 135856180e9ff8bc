import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { isPercent, percentItems, walletTiers } from '#domain/credit/fees.ts'
import { callerIn } from '../caller.ts'
import { Address, freeText, IdempotencyKey, WalletSignature } from '../fields.ts'
import { operation } from '../operation.ts'
import {
  AccountId,
  ControlName,
  ControlsAsked,
  controlled,
  FeeEvent,
  FeeEventId,
  FeeItem,
  FeeUsdPerMonth,
  usd,
} from '../shapes/accounts.ts'
import { QuoteId, WalletId } from '../shapes/payments.ts'
import { Receipt } from '../shapes/receipts.ts'
import { RunId } from '../shapes/runs.ts'

/** GET /api/enterprise-controls: the catalog to anyone, its own controls to an agent, those of any account to an operator. */
const controlsRead = operation({
  id: 'enterprise-controls-read',
  summary: 'Read which controls an account can have, where each is enforced, and your own.',
  http: { method: 'GET', path: '/api/enterprise-controls', host: 'base' },
  access: ['agent', 'operator', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['not_found', 'not_owner'],
  input: z.strictObject({ account_id: AccountId.optional() }),
  output: z
    .strictObject({
      controls_catalog: z.array(
        z.strictObject({
          control: ControlName,
          kind: z.string(),
          bounds: z.string(),
          enforced_at: z.array(z.string()),
        }),
      ),
      fee_usd_per_month: FeeUsdPerMonth,
      own: z.strictObject(controlled).nullable(),
    })
    .meta({ id: 'EnterpriseControls' }),
  handle: async ({ account_id }, context) => {
    const { caller } = context
    const agentId = callerIn(context).agentId
    if (caller.kind === 'operator' && account_id !== undefined)
      return { body: await context.accountControls.read({ operator: caller.id }, account_id) }
    const by = agentId === undefined ? undefined : { agentId }
    return { body: await context.accountControls.read(by, account_id) }
  },
})

/** POST /api/enterprise-controls, mode `set_controls` or none. */
const controlsSet = operation({
  id: 'enterprise-controls-set',
  summary:
    'Set controls of an account: its agent narrows them for a monthly fee, an operator may widen them.',
  http: { method: 'POST', path: '/api/enterprise-controls', host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['controls:write'] },
  errors: ['not_found', 'not_owner', 'control_denied', 'fee_not_accepted', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('set_controls').optional(),
    account_id: AccountId.optional(),
    controls: ControlsAsked,
    reason: freeText(500, 1),
    accept_fee: z.boolean().optional().meta({
      description:
        'True accepts the monthly fee enterprise_controls (`fee_usd_per_month` of GET on this path; 499 usd by default), which the first controls that the agent sets start. Without it they are refused by 422 fee_not_accepted, which names the amount. False ends a fee that was accepted with the current UTC month, which is not refunded; the controls stay. An operator starts and ends no fee.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ ...controlled, changed: z.array(ControlName), receipt: Receipt })
    .meta({ id: 'ChangedControls' }),
  handle: async ({ account_id: accountId, accept_fee: acceptFee, controls, reason }, context) => {
    const { caller, callId } = context
    const by =
      caller.kind === 'operator'
        ? { operator: caller.id }
        : { agentId: callerIn(context).requiredAgentId }
    const change = { callId, by, accountId, controls, reason, acceptFee }
    return { body: await context.accountControls.set(change) }
  },
})

/** POST /api/agent-commercial-layer: computes fees; with `accrue` it posts the month of a plan before its timer does. */
const feesAssess = operation({
  id: 'commercial-fees-assess',
  summary: 'Compute the fees of a run, a quote or some items, or pay the month of a plan now.',
  http: { method: 'POST', path: '/api/agent-commercial-layer', host: 'base' },
  access: 'public',
  errors: [
    'credential_required',
    'scope_denied',
    'not_found',
    'not_owner',
    'payment_required',
    'fee_not_accepted',
    'control_denied',
    'paused',
    'unsupported_request',
  ],
  input: z.strictObject({
    run_id: RunId.optional().meta({
      description: 'A run of yours, with the scope runs:read; what it posts when it closes.',
    }),
    quote_id: QuoteId.optional(),
    items: z
      .array(
        z
          .strictObject({
            fee_item: FeeItem.meta({ description: 'One of the seven.' }),
            basis_usd: usd
              .max(1_000_000)
              .optional()
              .meta({
                description: `What a percentage is of: required for ${percentItems.join(' and ')}.`,
              }),
            count: z
              .int()
              .min(1)
              .max(1000)
              .optional()
              .meta({ description: 'Of receipts, runs, months; 1 unless given.' }),
          })
          .refine(({ fee_item, basis_usd }) => (basis_usd !== undefined) === isPercent(fee_item), {
            path: ['basis_usd'],
            message: `${percentItems.join(' and ')} are percentages of so many usd, the others of nothing`,
          }),
      )
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'Items to compute; one of run_id, quote_id and items.' }),
    accrue: z.boolean().default(false).meta({
      description: 'Post the month of the named plan: an agent with the scope wallets:write.',
    }),
    wallet_id: WalletId.optional().meta({ description: 'Your wallet, which pays; with accrue.' }),
    idempotency_key: IdempotencyKey.optional(),
  }),
  output: z
    .strictObject({
      lines: z.array(
        z.strictObject({ fee_item: FeeItem, rule: z.string(), basis_usd: usd, amount_usd: usd }),
      ),
      total_usd: usd,
      fee_event_ids: z.array(FeeEventId),
      receipt: Receipt.nullable(),
    })
    .meta({ id: 'AssessedFees' }),
  handle: async ({ accrue, wallet_id: walletId, ...of }, context) => {
    const { callId, commercialLayer } = context
    const given = [of.run_id, of.quote_id, of.items].filter((one) => one !== undefined)
    if (given.length !== 1)
      throw refuse('invalid_request', { detail: 'give one of run_id, quote_id and items' })
    if (!accrue && of.run_id === undefined) return { body: await commercialLayer.assess(of) }
    const scope = accrue ? 'wallets:write' : 'runs:read'
    const agentId = callerIn(context).scopedAgentId(
      scope,
      'an agent reads its runs and pays its fees',
    )
    if (!accrue) return { body: await commercialLayer.assess(of, agentId) }
    return { body: await commercialLayer.accrue({ callId, agentId, walletId, items: of.items }) }
  },
})

/** GET /api/agent-commercial-layer: the fee items to anyone, what was posted to an agent, in all or from a wallet. */
const layerRead = operation({
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
        ? callerIn(context).agentId
        : callerIn(context).agentIdFor('a wallet is read by its agent')
    const own = agentId === undefined ? undefined : { agentId, walletId: wallet_id }
    return { body: await context.commercialLayer.read(own) }
  },
})

/** POST /api/enterprise-controls, mode `bind_wallet`: the payouts of the wallet then read the account's controls. */
const walletBind = operation({
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
    const binding = { callId, agentId: callerIn(context).requiredAgentId, wallet, signature }
    return { body: await context.accountControls.bind(binding) }
  },
})

/** The commercial fees, and the controls of customer accounts. */
export const accounts = [layerRead, feesAssess, controlsRead, controlsSet, walletBind] as const
