import { z } from 'zod'
import { type PointerError, refuse } from '../workflows/domain/errors.ts'
import { nameSecret } from './secret-patterns.ts'

/**
 * Refuses secrets in the fields that the schema marks with `.meta({ 'x-free-text': true })` (api-conventions.md, Forbidden material): 422
 * `forbidden_material` that names JSON pointers and the kind of secret, never the value.
 */
export function screenFreeText(schema: z.ZodType, value: unknown): void {
  const errors = findForbiddenMaterial(schema, value)
  if (errors.length === 0) return
  const where = errors.map(({ pointer }) => pointer || '(body)').join(', ')
  throw refuse(
    'forbidden_material',
    `secret material at ${where}`,
    'Remove the secret and treat it as exposed; this service stored nothing.',
    { errors },
  )
}

/** The pointers (RFC 6901) of free-text fields that hold secret material, with the kind of secret; for values that fit the schema. */
export function findForbiddenMaterial(schema: z.ZodType, value: unknown): PointerError[] {
  const texts = new Map<string, string>()
  collect(schema, value, '', texts)
  return [...texts].flatMap(([pointer, text]) => {
    const kind = nameSecret(text)
    return kind === undefined ? [] : [{ pointer, message: `holds ${kind}` }]
  })
}

type Texts = Map<string, string>

function collect(schema: z.core.$ZodType, value: unknown, pointer: string, texts: Texts): void {
  if (value === undefined || value === null) return
  if (z.globalRegistry.get(schema)?.['x-free-text'] === true) collectAll(value, pointer, texts)
  else for (const [inner, part, at] of partsOf(schema, value, pointer)) collect(inner, part, at, texts)
}

/** What stands inside a schema: its wrapped schema, its alternatives, or its members with their values and pointers. */
function partsOf(schema: z.core.$ZodType, value: unknown, pointer: string): [z.core.$ZodType, unknown, string][] {
  if (schema instanceof z.core.$ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema._zod.def.shape
    return members(value).flatMap(([key, part]) =>
      shape[key] === undefined ? [] : [[shape[key], part, below(pointer, key)]],
    )
  }
  if (schema instanceof z.core.$ZodArray)
    return members(value).map(([key, part]) => [schema._zod.def.element, part, below(pointer, key)])
  if (schema instanceof z.core.$ZodRecord)
    return members(value).map(([key, part]) => [schema._zod.def.valueType, part, below(pointer, key)])
  if (schema instanceof z.core.$ZodUnion) return schema._zod.def.options.map((option) => [option, value, pointer])
  if (schema instanceof z.core.$ZodIntersection)
    return [schema._zod.def.left, schema._zod.def.right].map((side) => [side, value, pointer])
  if (schema instanceof z.core.$ZodPipe) return [[schema._zod.def.in, value, pointer]]
  if (schema instanceof z.core.$ZodLazy) return [[schema._zod.def.getter(), value, pointer]]
  const inner = 'innerType' in schema._zod.def ? schema._zod.def.innerType : undefined
  return inner instanceof z.core.$ZodType ? [[inner, value, pointer]] : []
}

/** Every string below a free-text value; an object is also looked at as a whole, because a JWK is one. */
function collectAll(value: unknown, pointer: string, texts: Texts): void {
  if (typeof value === 'string') texts.set(pointer, value)
  if (typeof value !== 'object' || value === null) return
  if ('kty' in value && 'd' in value) texts.set(pointer, JSON.stringify(value))
  for (const [key, part] of members(value)) collectAll(part, below(pointer, key), texts)
}

const members = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
const below = (pointer: string, key: string): string => `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
