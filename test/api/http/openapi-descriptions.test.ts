import { expect } from 'vitest'
import { openapiDocument } from '../../../api/http/openapi.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

type Schema = { $ref?: string; properties?: Record<string, Schema> } & {
  description?: string
  oneOf?: Schema[]
  anyOf?: Schema[]
}
type Described = { name: string; description?: string }
type Operation = {
  operationId: string
  parameters?: Described[]
  requestBody?: { content: { 'application/json'?: { schema: Schema } } }
}

const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
const document = openapiDocument(operations, urls)
const { schemas } = document['components'] as { schemas: Record<string, Schema> }
const described = Object.values(document.paths as Record<string, Record<string, Operation>>)
  .flatMap((item) => Object.values(item))
  .map((operation) => ({ operation, members: membersOf(operation) }))

/** The members of a body: those of each of its alternatives. */
function membersOf({ requestBody }: Operation): Described[] {
  const walk = (schema: Schema | undefined): Described[] => {
    if (schema === undefined) return []
    if (schema.$ref !== undefined) return walk(schemas[schema.$ref.split('/').at(-1) ?? ''])
    const own = schema.properties ?? {}
    const others = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap(walk)
    return [
      ...Object.entries(own).map(([name, member]) => ({ name, ...member })),
      // What an alternative says of a member of the whole object is only which ones go together.
      ...others.filter(({ name }) => own[name] === undefined),
    ]
  }
  return walk(requestBody?.content['application/json']?.schema)
}

const silent = (of: (one: (typeof described)[number]) => Described[]): string[] =>
  described.flatMap((one) =>
    of(one)
      .filter(({ description = '' }) => !/\w{2}/.test(description))
      .map(({ name }) => `${one.operation.operationId} ${name}`),
  )

verifies('discovery.described', 'each parameter of a path and query has a description', () => {
  expect(described.flatMap(({ operation }) => operation.parameters ?? []).length).toBeGreaterThan(
    200,
  )
  expect(silent(({ operation }) => operation.parameters ?? [])).toEqual([])
})

verifies('discovery.described', 'each member of a request body has a description', () => {
  expect(described.flatMap(({ members }) => members).length).toBeGreaterThan(700)
  expect(silent(({ members }) => members)).toEqual([])
})
