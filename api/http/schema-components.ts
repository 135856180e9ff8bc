import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/** The `components.schemas` of an OpenAPI document while it is being written. */
export type SchemaComponents = {
  readonly schemas: JsonObject
  /** JSON Schema 2020-12 of a zod schema; shapes with an id become components that it refers to. */
  write(schema: z.ZodType, io: 'input' | 'output'): JsonObject
  /** What a schema that is only a reference refers to; any other itself. */
  read(schema: JsonObject): JsonObject
  /** Puts a schema under a name and answers the reference to it. */
  name(name: string, schema: JsonObject): { $ref: string }
}

const HOME = '#/components/schemas/'

export function createSchemaComponents(): SchemaComponents {
  const schemas: JsonObject = {}
  return {
    schemas,
    write: (schema, io) => {
      const {
        $schema: _dialect,
        $defs = {},
        ...root
      } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
      for (const [id, shape] of Object.entries($defs)) schemas[id] = rehome(shape)
      return rehome(root) as JsonObject
    },
    read: (schema) =>
      (schemas[String(schema['$ref'] ?? '').replace(HOME, '')] as JsonObject | undefined) ?? schema,
    name: (name, schema) => {
      schemas[name] = schema
      return { $ref: `${HOME}${name}` }
    },
  }
}

/** Points every reference at the components of the document. */
function rehome(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rehome)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' ? part.replace('#/$defs/', HOME) : rehome(part),
    ]),
  )
}
