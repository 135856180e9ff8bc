import { z } from 'zod'
import { authorityRules } from '#domain/payments/payment-authority.ts'
import { authorityTypes } from '#domain/payments/payment-reference.ts'
import { operation } from '../../operation.ts'
import { readingAgentId } from '../agents/caller.ts'
import { Authority, AuthorityType } from './authority-shapes.ts'
import { Method, ReferenceId } from './shapes.ts'

const contract = {
  authority_types: [...authorityTypes],
  rules: authorityTypes.map((authority_type) => ({
    authority_type,
    ...authorityRules[authority_type],
  })),
}

/** GET /api/payment-authority-layer: the kinds of authority and their rules; with an id the agent's own authority. */
export const paymentAuthorityRead = operation({
  id: 'payment-authority-read',
  summary:
    'Read the kinds of payment authority and what each rests on, or how one of your own stands now.',
  http: { method: 'GET', path: '/api/payment-authority-layer', host: 'base' },
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ payment_reference_id: ReferenceId.optional() }),
  output: z
    .strictObject({
      authority_types: z.array(AuthorityType),
      rules: z.array(
        z.strictObject({
          authority_type: AuthorityType,
          hosted_by: z.enum(['provider', 'service', 'wallet_owner']),
          needs: z.string(),
          method: Method,
          rule: z.string(),
        }),
      ),
      authority: Authority.nullable(),
    })
    .meta({ id: 'PaymentAuthorityRead' }),
  handle: async ({ payment_reference_id }, context) => {
    if (payment_reference_id === undefined) return { body: { ...contract, authority: null } }
    const agentId = readingAgentId(context, 'an authority is read by its agent')
    const authority = await context.authorities.read(agentId, payment_reference_id)
    return { body: { ...contract, authority } }
  },
})
