import { z } from 'zod'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'

const entry = z.strictObject({
  name: z.string(),
  version: z.string(),
  url: z.url(),
  sha256: Digest,
})

/** GET /schemas: the published schema documents. */
export const schemaIndex = operation({
  id: 'schema-index',
  summary: 'Every schema document with its version, its URL and the SHA-256 of its bytes.',
  http: { method: 'GET', path: '/schemas', host: 'base', cacheable: true },
  access: 'public',
  output: z.strictObject({ schemas: z.array(entry) }).meta({ id: 'SchemaIndex' }),
  handle: async (_input, context) => ({ body: { schemas: context.discovery.schemas.index() } }),
})
