import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { operation } from '../../operation.ts'

/** GET /schemas/{schema_name}: a document never changes under its name, a change is a new version. */
export const schemaRead = operation({
  id: 'schema-read',
  summary: 'One schema document: JSON Schema 2020-12, whose $id is its URL.',
  http: { method: 'GET', path: '/schemas/{schema_name}', host: 'base', cacheable: true },
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({ schema_name: z.string().regex(/^[a-z0-9.-]{1,64}$/) }),
  output: z.looseObject({ $schema: z.string(), $id: z.url() }).meta({ id: 'SchemaDocument' }),
  handle: async ({ schema_name }, context) => {
    const document = context.discovery.schemas.read(schema_name)
    if (document === undefined)
      throw refuse('not_found', {
        detail: 'no schema has this name',
        next_action: 'Read /schemas; it lists all.',
      })
    return { body: document }
  },
})
