import { z } from 'zod'
import { completionStates } from '#domain/payments/receipt-completion.ts'
import { UsageEvent } from '../usage/usage-shapes.ts'
import { ProofRelay } from './analysis-shapes.ts'
import { Passport } from './proof-view.ts'

/** What a completion answers. */
export const completed = {
  receipt_passport: Passport,
  ledger_entry: UsageEvent,
  proof_relay: ProofRelay,
  completion_state: z.enum(completionStates).meta({
    description:
      'completed: provider and ledger confirm it. awaiting_provider: they do not yet. unmatched: no payment of yours is there for such a movement. synthetic: the call named none.',
  }),
}
