import { z } from 'zod'
import type { AnyOperation } from '../../../operation.ts'
import { formOf, meaningOf } from '../../meanings/meanings.ts'

type Schema = { readonly [name: string]: unknown }

/** One member of an input or answer, as the reference shows it. */
export type Field = {
  /** Dotted, with `[]` for the items of a list: `items[].name`. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  /** Whether its schema says what it means. */
  readonly described: boolean
  /** What it means and what limits it. */
  readonly notes: readonly string[]
}

/** How far into an object the fields are listed. */
const DEPTH_MAX = 4

/** The members of an operation's input, with their meaning. */
export const requestFieldsOf = ({ id, input }: AnyOperation): Field[] =>
  fieldsOf(input, 'input').map((field) => {
    const meaning = field.described ? undefined : meaningOf(id, field.name)
    return meaning === undefined
      ? field
      : { ...field, described: true, notes: [meaning, ...field.notes] }
  })

/** The members of a schema, each under its dotted name; those of alternatives are listed once. */
export function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): Field[] {
  const root = z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as Schema
  const found = new Map<string, Field>()
  collect(root, { defs: (root['$defs'] ?? {}) as Schema, prefix: '', depth: 0, found })
  return [...found.values()]
}

type Walk = {
  readonly defs: Schema
  readonly prefix: string
  readonly depth: number
  readonly found: Map<string, Field>
}

function collect(given: Schema, walk: Walk): void {
  const schema = resolved(given, walk.defs)
  for (const part of alternatives(schema)) collect(part, walk)
  if (schema['type'] === 'array' && isObject(schema['items']))
    collect(schema['items'], { ...walk, prefix: walk.prefix.replace(/\.$/, '[].') })
  const required = (schema['required'] ?? []) as string[]
  for (const [name, part] of Object.entries((schema['properties'] ?? {}) as Schema)) {
    const member = resolved(part as Schema, walk.defs)
    const at = walk.prefix + name
    if (!walk.found.has(at))
      walk.found.set(at, {
        name: at,
        type: typeOf(member, walk.defs),
        required: required.includes(name),
        described: descriptionsOf(member, walk.defs).length > 0,
        notes: notesOf(member, walk.defs),
      })
    if (walk.depth < DEPTH_MAX)
      collect(member, { ...walk, prefix: `${at}.`, depth: walk.depth + 1 })
  }
}

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function resolved(schema: Schema, defs: Schema): Schema {
  const { $ref: ref, ...own } = schema
  if (typeof ref !== 'string') return schema
  const shared = (defs[ref.replace('#/$defs/', '')] ?? {}) as Schema
  return { ...resolved(shared, defs), ...own }
}

/** The schemas of which a value fits one; forms that only say which members go together add nothing. */
const alternatives = (schema: Schema): Schema[] =>
  [...((schema['anyOf'] ?? []) as Schema[]), ...((schema['oneOf'] ?? []) as Schema[])].filter(
    (part) => part['type'] !== undefined || part['$ref'] !== undefined,
  )

function typeOf(schema: Schema, defs: Schema): string {
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return 'string'
  const parts = alternatives(schema)
  if (parts.length > 0)
    return [...new Set(parts.map((part) => typeOf(resolved(part, defs), defs)))].join(' or ')
  const { type, items } = schema
  if (type === 'array')
    return `list of ${isObject(items) ? typeOf(resolved(items, defs), defs) : 'anything'}`
  return typeof type === 'string' ? type : 'anything'
}

function descriptionsOf(schema: Schema, defs: Schema): string[] {
  const inner = alternatives(schema).map((part) => resolved(part, defs))
  return [schema, ...inner].flatMap(({ description }) =>
    typeof description === 'string' ? [description] : [],
  )
}

function notesOf(schema: Schema, defs: Schema): string[] {
  const inner = alternatives(schema).map((part) => resolved(part, defs))
  const items = isObject(schema['items']) ? [resolved(schema['items'], defs)] : []
  const values = [schema, ...inner, ...items].flatMap((part) =>
    Array.isArray(part['enum']) ? [`one of: ${part['enum'].join(', ')}`] : [],
  )
  const limits = [schema, ...inner].flatMap(limitsOf)
  return [...new Set([...descriptionsOf(schema, defs), ...values, ...limits])]
}

function limitsOf(schema: Schema): string[] {
  const number = (name: string): number | undefined => {
    const value = schema[name]
    return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
      ? value
      : undefined
  }
  const range = (least: string, most: string, of: string): string[] => {
    const [min, max] = [number(least), number(most)]
    if (min === undefined && max === undefined) return []
    if (max === undefined) return [`at least ${min}${of}`]
    return [min === undefined ? `at most ${max}${of}` : `${min} to ${max}${of}`]
  }
  const { default: preset, format, pattern } = schema
  return [
    ...range('minLength', 'maxLength', ' characters'),
    ...range('minItems', 'maxItems', ' items'),
    ...range('minimum', 'maximum', ''),
    ...(typeof format === 'string' ? [`format ${format}`] : []),
    ...(typeof pattern === 'string' && format === undefined && isShort(pattern)
      ? [formOf(pattern)]
      : []),
    ...(preset === undefined ? [] : [`${JSON.stringify(preset)} unless given`]),
  ]
}

/** A pattern that a person reads; the one of free text is not. */
const isShort = (pattern: string): boolean => pattern.length <= 60 && !pattern.includes('\\u')
