import { z } from 'zod'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingAgent } from '../agents/caller.ts'
import { StoredInput } from './shapes.ts'

/** GET /api/agent-inputs/{sha256}: whether an upload is there, and how long it is kept; never its bytes. */
export const inputRead = operation({
  id: 'input-read',
  summary: 'Read what is known of an uploaded file: its length, its type, and how long it is kept.',
  http: { method: 'GET', path: '/api/agent-inputs/{sha256}', host: 'base' },
  access: 'agent',
  needs: { scopes: ['runs:read'] },
  errors: ['not_found'],
  input: z.strictObject({ sha256: Digest }),
  output: StoredInput,
  handle: async ({ sha256 }, context) => ({
    body: await context.inputs.read({ owner: callingAgent(context), sha256 }),
  }),
})
