import type { Context } from './context.ts'
import type { Funding } from './services/runs/admission.ts'
import { postsOf } from './shapes/callbacks.ts'

/** How an agent starts a paid run, which may be delegated and costs the total of its quote. */
export const paidStart = {
  access: 'agent',
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  uses: ({ callback_url }: { callback_url?: string | undefined }) => ({
    tasks: 1,
    workflows: 2,
    posts: postsOf(callback_url),
  }),
  idempotency: { kind: 'body' },
  delegable: true,
  spendsUsd: ({ quote_id }: { quote_id: string }, { quotes }: Context) => quotes.totalUsd(quote_id),
  authorizeDelegated: (asked: Funding, { runStarts }: Context) => runStarts.assertFunded(asked),
} as const

type CallFields = { accept_terms: unknown; idempotency_key?: unknown; usage: unknown }
/** What a call asks of its run, with the payment that it carries. */
export function askedOf<Given extends CallFields>(given: Given, context: Context) {
  const { accept_terms: _terms, idempotency_key: _key, usage: _used, ...asked } = given
  return { ...asked, carried_payment: context.carriedPayment() }
}
