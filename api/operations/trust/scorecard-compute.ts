import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { WorkItem } from '#domain/trust/passport.ts'
import { completedWorkMax, componentNames, paymentsMax } from '#domain/trust/scorecard.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { PaidAddress, uniqueList } from './shapes.ts'

const Hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const percent = z.int().min(0).max(100)

const Payment = z.strictObject({
  transaction_hash: Hash,
  payee: PaidAddress,
  amount_atomic: z.string().regex(/^[1-9][0-9]{0,11}$/),
  authorization_nonce: Hash,
})

/** POST /api/agent-trust-scorecard: evidence only; the same inputs within an hour of the chain get the first score. */
export const scorecardCompute = operation({
  id: 'scorecard-compute',
  summary:
    'Compute your trust score from work that this service has on record and payments that the chain proves.',
  http: { method: 'POST', path: '/api/agent-trust-scorecard', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  input: z.strictObject({
    mode: z.literal('compute'),
    completed_work: uniqueList(WorkItem, completedWorkMax),
    payments: uniqueList(Payment, paymentsMax),
  }),
  output: z
    .strictObject({
      score: z.strictObject({
        value: percent,
        band: z.enum(['unproven', 'low', 'medium', 'high']),
      }),
      confidence: z.enum(['none', 'low', 'medium', 'high']),
      components: z.array(
        z.strictObject({
          component: z.enum(componentNames),
          weight: percent,
          value: percent,
          evidence: z.array(z.string()),
        }),
      ),
      rejected: z.array(z.strictObject({ item: z.string(), reason: z.string() })),
      refunds: z.array(
        z.strictObject({ id: z.string(), payment: z.string(), amount_atomic: z.string() }),
      ),
      formula: z.looseObject({ version: z.string() }),
      as_of: z.int(),
      inputs_sha256: Digest,
      completed_work_sha256: Digest,
      payments_sha256: Digest,
      receipt: Receipt,
    })
    .meta({ id: 'Scorecard' }),
  handle: async ({ completed_work, payments }, context) => {
    const input = { completed_work, payments }
    return {
      body: await context.scorecards.compute(callingWallet(context), input, context.callId),
    }
  },
})
