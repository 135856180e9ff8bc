import { compile } from 'json-schema-to-typescript'
import { isObject } from '#domain/core/plain-object.ts'
import { operationShapes } from './operation-shapes.ts'

type Json = { [member: string]: unknown }

/** Types of every operation's input and output, from the schemas that parse and check them. */
export async function contractTypes(): Promise<string> {
  const { shapes, $defs } = operationShapes()
  const object = (properties: Record<string, object>) => ({
    type: 'object' as const,
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  })
  const all = shapes.map(({ id, input, output }): [string, object] => [
    id,
    object({ input, output }),
  ])
  const schema = alternatives({ ...object(Object.fromEntries(all)), $defs }) as Json
  const types = await compile(schema, 'Operations', {
    bannerComment: '',
    format: false,
    // A list is an array: no caller writes a tuple for each of its lengths.
    ignoreMinAndMaxItems: true,
  })
  return `${types}
export type OperationId = keyof Operations
export type InputOf<Id extends OperationId> = Operations[Id]['input']
export type OutputOf<Id extends OperationId> = Operations[Id]['output']
`
}

/** A schema in which each alternative of an object is a whole object: the generator takes any other for one with any member. */
function alternatives(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(alternatives)
  if (!isObject(schema)) return schema
  const read = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, alternatives(value)]),
  )
  const { oneOf, anyOf, ...base } = read
  const branches = oneOf ?? anyOf
  if (!isObject(base['properties']) || !Array.isArray(branches)) return read
  const needed = new Set(branches.flatMap(requiredBy))
  const { description, ...shape } = base
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: branches.map((branch: Json) =>
      whole(shape, branch, oneOf === undefined ? new Set() : needed),
    ),
  }
}

const requiredBy = (branch: Json): string[] => (branch['required'] ?? []) as string[]

/** One alternative as an object of its own; it lacks what is `exclusive` to the other ones. */
function whole(base: Json, branch: Json, exclusive: ReadonlySet<string>): Json {
  const required = requiredBy(branch)
  const own = (branch['properties'] ?? {}) as Json
  const absent = [...exclusive]
    .filter((name) => !required.includes(name))
    .concat(Object.keys(own).filter((name) => isObject(own[name]) && 'not' in own[name]))
  const none = Object.fromEntries(absent.map((name) => [name, { tsType: 'never' }]))
  return {
    ...base,
    properties: { ...(base['properties'] as Json), ...own, ...none },
    required: [...new Set([...((base['required'] ?? []) as string[]), ...required])],
  }
}
