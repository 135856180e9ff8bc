import { z } from 'zod'
import { freeText } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingOperator } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { authorityPath, MandateId, PresentedMandate } from './shapes.ts'

const namedOnce = ({
  signed_mandate,
  action,
}: {
  signed_mandate?: object | undefined
  action: { mandate_id?: string | undefined }
}) => (signed_mandate === undefined) !== (action.mandate_id === undefined)

/** POST /api/delegated-authority, mode `revoke_mandate`: takes effect at once for every process. */
export const revokeMandate = operation({
  id: 'revoke-mandate',
  summary:
    'Revoke a mandate with its unused grants; no action, payment or payout starts under it afterwards.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'operator',
  errors: ['not_found', 'authority_denied', 'forbidden_material'],
  idempotency: { kind: 'effect' },
  input: z
    .strictObject({
      mode: z.literal('revoke_mandate'),
      signed_mandate: PresentedMandate.optional(),
      action: z.strictObject({
        mandate_id: MandateId.optional().meta({
          description: 'The mandate, instead of `signed_mandate`.',
        }),
        reason: freeText(500, 1),
      }),
    })
    .refine(namedOnce, { message: 'give either signed_mandate or action.mandate_id' }),
  output: z
    .strictObject({
      mandate_id: MandateId,
      state: z.literal('revoked'),
      revoked_grants: z.int(),
      receipt: Receipt,
    })
    .meta({ id: 'RevokedMandate' }),
  handle: async ({ signed_mandate, action: { mandate_id, reason } }, context) => {
    const { mandates } = context
    const named = mandate_id ?? (await mandates.idOf(signed_mandate ?? {}))
    const body = await mandates.revoke(callingOperator(context), { mandate_id: named, reason })
    return { body }
  },
})
