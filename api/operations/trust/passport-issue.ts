import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { PassportClaims, WorkItem } from '#domain/trust/passport.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { RunUsage, ShortKey } from './shapes.ts'

/** POST /api/receipt-passport, mode `issue`: one passport for each wallet and work. */
export const passportIssue = operation({
  id: 'passport-issue',
  summary:
    'Issue a signed passport for one free call of yours that succeeded, or one payment of yours that settled. Reuse the key when you repeat this call.',
  http: { method: 'POST', path: '/api/receipt-passport', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  limits: { bodyBytes: limits.trustBodyBytesMax },
  status: [201],
  errors: ['work_not_found', 'work_already_attested'],
  input: z.strictObject({
    mode: z.literal('issue'),
    idempotency_key: ShortKey,
    work: WorkItem,
    usage: RunUsage,
  }),
  output: z
    .strictObject({
      passport: z.string(),
      passport_id: z.string(),
      claims: PassportClaims,
      receipt: Receipt,
    })
    .meta({ id: 'IssuedPassport' }),
  handle: async ({ work, usage }, context) => {
    const asked = { wallet: callingWallet(context), work, usage, callId: context.callId }
    return { body: await context.passports.issue(asked) }
  },
})
