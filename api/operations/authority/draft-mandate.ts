import { z } from 'zod'
import { MandateTerms } from '#domain/authority/artifacts.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { authorityPath, DraftId } from './shapes.ts'
import { termsAsked } from './terms.ts'

/** POST /api/delegated-authority, mode `draft_mandate`: the only one that changes something for a public caller. */
export const draftMandate = operation({
  id: 'draft-mandate',
  summary: 'Draft a mandate without a signature; an operator may issue it within a day.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'public',
  errors: ['limits_invalid', 'forbidden_material'],
  uses: () => ({ records: 1 }),
  idempotency: { kind: 'effect' },
  input: z.strictObject({ mode: z.literal('draft_mandate'), action: z.strictObject(termsAsked) }),
  output: z
    .strictObject({
      mandate_draft: MandateTerms,
      draft_id: DraftId,
      digest: Digest,
      missing: z
        .array(z.string())
        .meta({ description: 'What an operator adds when it is issued.' }),
      warnings: z.array(z.string()),
    })
    .meta({ id: 'MandateDraft' }),
  handle: async ({ action }, { mandates, delegations }) => ({
    body: await mandates.draft(action, delegations.operations),
  }),
})
