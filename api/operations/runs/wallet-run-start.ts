import { z } from 'zod'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { WalletId } from '../payments/shapes.ts'
import { inputErrors } from '../tasks/input-shapes.ts'
import { operationalUsage, paidStart, startFields } from './start-fields.ts'
import { walletRun } from './wallet-run-shapes.ts'

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
    const started = await context.walletRuns.start(writerOf(context), run, context.callId)
    return { body: started, grantUsed: true }
  },
})
