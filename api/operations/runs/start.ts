import { z } from 'zod'
import { ResultContract } from '#domain/runs/return-package.ts'
import { callerIn } from '../../caller.ts'
import { freeText, ReceiptId } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { paidStart } from '../../paid-start.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { feeModel } from '../../shapes/credit.ts'
import { PaymentChallenge, ReferenceId, WalletId } from '../../shapes/payments.ts'
import { Receipt } from '../../shapes/receipts.ts'
import {
  FUNDED_TWICE,
  fundedOnce,
  fundingFields,
  operationalUsage,
  Run,
  RunId,
  runRead,
  startErrors,
  startFields,
} from '../../shapes/runs.ts'
import { inputErrors } from '../../shapes/task-inputs.ts'
import { WorkOrder } from '../../shapes/work-orders.ts'

/** A run that has begun. */
export const startedRun = {
  run: Run,
  challenge: PaymentChallenge.nullable().meta({
    description: 'What is still to be confirmed; null once it is funded.',
  }),
  receipts: z.array(Receipt),
  result_contract: ResultContract,
}
export const StartedRun = z.strictObject(startedRun).meta({ id: 'StartedRun' })

/**
 * POST /api/agent-use, mode `start_agent_run` : begins a task that continues once it is paid and reviewed.
 * Unpaid it is a 402 with the challenge, also in the form of x402: an x402 client pays it, and the same call goes through.
 */
export const startAgentRun = operation({
  id: 'start-agent-run',
  summary:
    'Start a paid run: create its task, contract, quote and challenge; the run continues once it is paid and reviewed.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'start_rail_run',
  startsRun: ({ run }) => run.run_id,
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  gate: { rails: 'paid_agent_use', callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  errors: startErrors,
  input: z
    .strictObject({
      mode: z.literal('start_agent_run'),
      ...startFields,
      ...fundingFields,
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: StartedRun,
  handle: async (
    { mode: _mode, accept_terms: _terms, idempotency_key: _key, ...asked },
    context,
  ) => {
    const { callback_url = null, customer_account = null } = asked
    const { headers, started } = await context.runStarts.start(
      callerIn(context).writer,
      { ...asked, callback_url, customer_account, carried_payment: context.carriedPayment() },
      context.callId,
    )
    return { body: started, headers }
  },
})

/** What a run that is bound to a wallet carries. */
const walletRun = {
  wallet_id: WalletId,
  payment_intent_id: ReferenceId.meta({ description: 'The payment reference of the debit.' }),
  settlement_reference: ReceiptId.meta({
    description: 'The settlement receipt, by which the price left the balance.',
  }),
  receipt_id: ReceiptId.meta({ description: 'The intake receipt of the order.' }),
  work_order: WorkOrder,
  return_package_target: z.strictObject({
    return_package_id: z.string().regex(/^rp_[0-9a-f]{64}$/),
    url: z.url().meta({
      description: 'Where the package is read by GET once it is there.',
    }),
  }),
  run: Run,
}

/**
 * POST /api/wallet-bound-rail-run: the price leaves the balance in the transaction that stores order and task, is
 * earned with its fee once the run is done, and comes back when it fails. A balance that is too small is a 402 with the shortfall.
 */
export const walletRunStart = operation({
  id: 'wallet-run-start',
  summary: 'Start a run that your allowance wallet pays for; its order waits for a review.',
  http: { method: 'POST', path: '/api/wallet-bound-rail-run', host: 'base' },
  needs: { scopes: ['runs:write', 'wallets:write'], rail: ({ rail }) => rail },
  gate: { rails: 'priced', callback: 'if_given' },
  ...paidStart,
  undelegated: ['status_token'],
  errors: [
    ...inputErrors,
    ...([
      'payment_required',
      'control_denied',
      'authority_denied',
      'rail_not_allowed',
      'not_owner',
      'not_found',
    ] as const),
    ...([
      'quote_mismatch',
      'quote_expired',
      'payment_pending',
      'already_funded',
      'challenge_expired',
    ] as const),
    ...(['credit_exhausted', 'callback_refused'] as const),
  ],
  input: z.strictObject({
    ...startFields,
    wallet_id: WalletId.meta({
      description: 'Pays the quote now; a synthetic run takes no money, and is none of these.',
    }),
    acceptance_criteria: z.array(freeText(500, 1)).max(20).default([]),
    usage: operationalUsage,
  }),
  output: z
    .strictObject({
      ...walletRun,
      status_token: z
        .string()
        .regex(/^wt_[A-Za-z0-9_-]{43}$/)
        .meta({ description: 'Reads the order; given here alone.' }),
    })
    .meta({ id: 'StartedWalletRun' }),
  handle: async (
    { accept_terms: _terms, idempotency_key: _key, usage: _usage, ...asked },
    context,
  ) => {
    const { callback_url = null, customer_account = null } = asked
    const run = { ...asked, callback_url, customer_account }
    const started = await context.walletRuns.start(callerIn(context).writer, run, context.callId)
    return { body: started, grantUsed: true }
  },
})

const contract = contractSchema('Runs by state.', { fee_model: z.string() }).meta({
  id: 'WalletRunContract',
})
const bound = z.strictObject(walletRun).meta({ id: 'WalletRun' })

/** GET /api/wallet-bound-rail-run: how a wallet pays for runs, and with a run id the caller’s own run. */
export const walletRunRead = operation({
  id: 'wallet-run-read',
  summary:
    'Read how a run is paid from an allowance wallet, or such a run of your own with its order.',
  http: { method: 'GET', path: '/api/wallet-bound-rail-run', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([bound, contract]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined)
      return {
        body: { ...(await context.contracts.walletRun()), fee_model: feeModel },
      }
    return { body: await context.walletRuns.read(callerIn(context).runReader, run_id) }
  },
})
