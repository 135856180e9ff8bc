import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { Digest, encodedText, freeText, text } from '../../fields.ts'
import { Method } from './shapes.ts'

/** The fields of a payment that a caller presents. */
export const payment = {
  method: Method,
  external_reference: text(1, 200).meta({
    'x-free-text': true,
    description:
      'Of the provider’s session, the invoice or the transaction; any name for the other methods.',
  }),
  payer: text(0, 160)
    .meta({ 'x-free-text': true })
    .optional()
    .meta({ description: 'The wallet that pays: an address, or aw_…; agent_allowance needs it.' }),
  proof: z
    .strictObject({
      signature: encodedText(8192).optional(),
      payment: encodedText(8192).optional(),
      challenge_token: encodedText(8192).optional(),
    })
    .optional(),
  evidence: z
    .strictObject({
      sha256: Digest.optional(),
      url: freeText(2048, 1).optional(),
      presentation: encodedText(limits.presentationCharsMax)
        .optional()
        .meta({ description: 'An open payment mandate of AP2 and the mandate that closes it.' }),
      checkout_presentation: encodedText(limits.presentationCharsMax)
        .optional()
        .meta({ description: 'The open checkout mandate that it is bound to, closed likewise.' }),
    })
    .optional(),
  provider: text(1, 40).optional().meta({
    description:
      'The payment provider whose events confirm it. Needed for a hosted checkout where several are configured.',
  }),
}
