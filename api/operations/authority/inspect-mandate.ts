import { z } from 'zod'
import { authorityExamples } from '../../examples/authority.ts'
import { operation } from '../../operation.ts'
import { agentIdOf } from '../agents/caller.ts'
import { authorityPath, Inspection, PresentedMandate } from './shapes.ts'

/** POST /api/delegated-authority, mode `inspect_mandate`. A mandate that is none is a 200 with `valid` false. */
export const inspectMandate = operation({
  id: 'inspect-mandate',
  summary: 'Check a mandate: signature, state, what remains, and its grants. Uses nothing.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  mode: 'inspect_mandate',
  access: ['agent', 'operator'],
  needs: { scopes: ['authority:read'] },
  errors: ['not_owner'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('inspect_mandate'), signed_mandate: PresentedMandate }),
  output: Inspection,
  example: authorityExamples['inspect-mandate'],
  handle: async ({ signed_mandate }, context) => ({
    body: await context.mandates.inspect(signed_mandate, agentIdOf(context)),
  }),
})
