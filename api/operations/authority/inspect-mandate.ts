import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { encodedText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { Ap2InspectionShape } from './ap2-shapes.ts'
import { authorityPath, Inspection, PresentedMandate } from './shapes.ts'

const ap2 = z.strictObject({
  payment: encodedText(limits.presentationCharsMax).meta({
    description: 'The open payment mandate, alone or with the closed one behind ~~.',
  }),
  checkout: encodedText(limits.presentationCharsMax).optional().meta({
    description: 'The checkout mandate that belongs to it, in the same form.',
  }),
  challenge_token: encodedText(8192).optional().meta({
    description: 'The challenge that the mandates were closed for.',
  }),
})

/** POST /api/delegated-authority, mode `inspect_mandate`. A mandate that is none is a 200 with `valid` false. */
export const inspectMandate = operation({
  id: 'inspect-mandate',
  summary:
    'Check a mandate of authority or mandates of AP2: signature, state, constraints, and what remains. Uses nothing.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['authority:read'] },
  errors: ['not_owner', 'forbidden_material'],
  idempotency: { kind: 'read' },
  input: z
    .strictObject({
      mode: z.literal('inspect_mandate'),
      signed_mandate: PresentedMandate.optional(),
      action: z.strictObject({ ap2 }).optional(),
    })
    .refine(
      ({ signed_mandate, action }) => (signed_mandate === undefined) !== (action === undefined),
      {
        message: 'give either signed_mandate or action.ap2',
      },
    ),
  output: z.union([Inspection, Ap2InspectionShape]),
  handle: async ({ signed_mandate = {}, action }, context) => {
    const agentId = agentIdOf(context)
    if (action !== undefined) return { body: await context.ap2.inspect(action.ap2, agentId) }
    return { body: await context.mandates.inspect(signed_mandate, agentId) }
  },
})
