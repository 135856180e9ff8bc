import { z } from 'zod'
import { authorityTypes } from '#domain/payments/payment-reference.ts'
import { PaymentReference } from './shapes.ts'

const usd = z.int().min(0)
export const AuthorityType = z.enum(authorityTypes)

/** The current state of a payment authority: a payment reference that moves no money by itself. */
export const Authority = z
  .strictObject({
    authority_type: AuthorityType,
    decision: z.enum(['authorized', 'needs_provider', 'denied']),
    reasons: z.array(z.string()).meta({ description: 'What speaks against it.' }),
    amount_usd: usd,
    payment_reference: PaymentReference.nullable().meta({
      description: 'Null where nothing was presented, as it is denied.',
    }),
    limits_left: z.strictObject({
      agent_usd: usd
        .nullable()
        .meta({ description: 'What an operator lets the agent spend at once.' }),
      wallet: z
        .strictObject({ per_run_usd: usd.nullable(), day_usd: usd.nullable(), balance_usd: usd })
        .nullable()
        .meta({ description: 'Of an allowance wallet; null is no limit.' }),
    }),
  })
  .meta({ id: 'PaymentAuthority' })
