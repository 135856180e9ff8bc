import { z } from 'zod'
import { operation } from '../../operation.ts'
import { AgentId } from '../agents/shapes.ts'
import { KeyVersion, path } from './shapes.ts'

/** GET /api/signing-secret-rotation: whose signature is to be verified by which key, now and for what was signed before. */
export const signingVersionsRead = operation({
  id: 'signing-versions-read',
  summary:
    'List the versions of an agent’s signing key, or of the key with which the service signs agents’ statements.',
  http: { method: 'GET', path, host: 'base' },
  tool: 'read_signing_versions',
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({
    agent_id: AgentId.optional().meta({ description: 'The service’s own unless given.' }),
  }),
  output: z
    .strictObject({
      owner: z.union([z.literal('service'), AgentId]),
      versions: z.array(KeyVersion).meta({ description: 'Newest first.' }),
    })
    .meta({ id: 'SigningVersions' }),
  handle: async ({ agent_id }, context) => ({
    body: await context.signing.versions(agent_id),
  }),
})
