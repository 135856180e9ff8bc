import { z } from 'zod'
import { Digest, freeText, text } from '../../fields.ts'
import { Method } from './shapes.ts'

/** The fields of a payment that a caller presents. */
export const payment = {
  method: Method,
  external_reference: text(1, 200).meta({
    description:
      'Of the provider’s session, the invoice or the transaction; any name for the other methods.',
  }),
  payer: text(0, 160)
    .optional()
    .meta({ description: 'The wallet that pays: an address, or aw_….' }),
  proof: z
    .strictObject({
      signature: text(1, 8192).optional(),
      payment: text(1, 8192).optional(),
      challenge_token: text(1, 8192).optional(),
    })
    .optional(),
  evidence: z
    .strictObject({
      sha256: Digest.optional(),
      url: freeText(2048, 1).optional(),
      presentation: text(1, 24_576)
        .optional()
        .meta({ description: 'An open payment mandate of AP2 and the mandate that closes it.' }),
      checkout_presentation: text(1, 24_576)
        .optional()
        .meta({ description: 'The open checkout mandate that it is bound to, closed likewise.' }),
    })
    .optional(),
  provider: text(1, 40).optional().meta({
    description:
      'The payment provider whose events confirm it. Needed for a hosted checkout where several are configured.',
  }),
}
