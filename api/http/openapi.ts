import { WAIT_SECONDS_MAX } from '#domain/core/preference.ts'
import { isBodyOptional } from '../calls/body.ts'
import { hasBody } from '../http-method.ts'
import {
  type AccessKind,
  type AnyOperation,
  type Host,
  isPlain,
  paymentHeaderOf,
  takesPayment,
  waysOf,
} from '../operation.ts'
import { families } from '../operations/index.ts'
import type { OpenApiDocument } from '../shapes/documents.ts'
import { meaningOf } from './meanings/meanings.ts'
import {
  headerComponents,
  idempotencySecret,
  problemSchema,
  securitySchemes,
} from './openapi-components.ts'
import { argumentsOf, bodyExamplesOf, streamExampleOf } from './openapi-examples.ts'
import { responsesOf } from './openapi-responses.ts'
import { webhooksOf } from './openapi-webhooks.ts'
import { groupByPath, namesIn, type PathGroup } from './operation-groups.ts'
import {
  createSchemaComponents,
  type JsonObject,
  type SchemaComponents,
} from './schema-components.ts'

/** The two hosts of the program. */
export type HostUrls = { readonly baseUrl: string; readonly osUrl: string }

const description = `Bounded stablecoin payouts for software agents, as durable workflows with a signed receipt for every transition.

Calls marked with a lock need a wallet proof (\`X-Service-Wallet-Proof\`), a status token, or the credential of an agent or operator;
the text to sign stands in the trust contract, and the typed client signs it. Paid calls are free ten times per wallet in 30 days, then paid with x402.
Every refusal is \`application/problem+json\`; its \`type\` leads to a page that says what to do.`

/** The OpenAPI 3.1 document of every operation on both hosts. */
export function openapiDocument(
  registry: readonly AnyOperation[],
  urls: HostUrls,
): OpenApiDocument & JsonObject {
  const components = createSchemaComponents()
  components.name('Problem', problemSchema)
  const paths = groupByPath(registry).map((group) => [
    group.path,
    pathItem(group, urls, components),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-rails',
      version: '1.0.0',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: {
      url: `${urls.baseUrl}/#rails`,
      description:
        'Every rail, with a page of its tiers, input, gaps, package and a worked example.',
    },
    tags: Object.keys(families).map((name) => ({ name })),
    servers: [{ url: urls.baseUrl }],
    paths: Object.fromEntries(paths),
    webhooks: webhooksOf(components),
    components: { schemas: components.schemas, headers: headerComponents, securitySchemes },
  }
}

function pathItem(group: PathGroup, urls: HostUrls, components: SchemaComponents): JsonObject {
  const methods = [...group.methods].map(([method, operations]) => [
    method.toLowerCase(),
    describeGroup(group.path, operations, urls, components),
  ])
  return Object.fromEntries(methods)
}

function describeGroup(
  path: string,
  group: readonly AnyOperation[],
  urls: HostUrls,
  components: SchemaComponents,
): JsonObject {
  const [first] = group
  if (first === undefined) throw new Error(`no operation at ${path}`)
  const alias = path !== first.http.path
  const shared = {
    ...tagsOf(first),
    ...serversOf(first.http.host, urls),
    security: securityOf(group),
    ...paymentInfoOf(group),
    ...withSecret(group, inputOf(group, components)),
    responses: responsesOf(group, components),
  }
  if (first.mode !== undefined) {
    const operationId = `${path.slice(1).replaceAll(/[^A-Za-z0-9]+/g, '-')}-${first.http.method.toLowerCase()}`
    return {
      operationId,
      summary: group.map(({ summary }) => summary).join(' '),
      ...shared,
      'x-modes': group.map(facts),
    }
  }
  const { id: _id, ...marks } = facts(first)
  return {
    operationId: alias ? `${first.id}:${path}` : first.id,
    summary: first.summary,
    ...shared,
    ...marks,
  }
}

/** What a call costs, as clients of MPP discover it; the amount of a run depends on its quote. */
function paymentInfoOf(group: readonly AnyOperation[]): JsonObject {
  const [paid] = group.filter(takesPayment)
  if (paid === undefined) return {}
  const amount = paid.price === null ? null : String(paid.price)
  return {
    'x-payment-info': {
      offers: [{ method: 'evm', intent: 'charge', amount, description: paid.summary }],
    },
  }
}

/** What OpenAPI has no word for. */
function facts({ id, mode, access, needs, price, idempotency, status }: AnyOperation): JsonObject {
  return {
    id,
    ...(mode === undefined ? {} : { mode }),
    'x-access': access,
    'x-scopes': needs?.scopes ?? [],
    'x-price': price === null ? null : { atomic: String(price), decimals: 6 },
    'x-idempotency': idempotency.kind,
    'x-status': status[0],
  }
}

function tagsOf({ id }: AnyOperation): JsonObject {
  const family = Object.entries(families).find(([, members]) =>
    members.some((member) => member.id === id),
  )
  return family === undefined ? {} : { tags: [family[0]] }
}

function serversOf(host: Host, { baseUrl, osUrl }: HostUrls): JsonObject {
  if (host === 'base') return {}
  return { servers: host === 'os' ? [{ url: osUrl }] : [{ url: baseUrl }, { url: osUrl }] }
}

function securityOf(group: readonly AnyOperation[]): JsonObject[] {
  const ways = group.flatMap((operation) =>
    waysOf(operation).flatMap((way) => presentations(way, operation)),
  )
  return [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()]
}

/** What a caller of this kind presents. */
function presentations(way: AccessKind, operation: AnyOperation): JsonObject[] {
  const { examines, http, recalledBy, statusToken } = operation
  const keeps = !isPlain(operation)
  if (way === 'public')
    return [
      {},
      ...(examines || keeps ? [{ agent: [] }] : []),
      ...(recalledBy === undefined ? [] : [{ agentSignature: [] }]),
    ]
  if (way === 'wallet') return withPayments({ walletProof: [] }, operation)
  if (way !== 'status') return withPayments({ [way]: [] }, operation)
  const inHeader = http.path.includes('{token}') ? {} : { statusToken: [] }
  if (statusToken?.signed !== true) return [inHeader]
  return [
    { ...inHeader, agentSignature: [] },
    ...(statusToken.prefixes.some((prefix) => prefix !== 'st') ? [inHeader] : []),
  ]
}

/** The same without a payment, and with one by each protocol where the operation takes it. */
function withPayments(presented: JsonObject, operation: AnyOperation): JsonObject[] {
  if (!takesPayment(operation)) return [presented]
  const byMpp = paymentHeaderOf(operation) === 'Authorization' ? 'mpp' : 'mppHeader'
  return [presented, { ...presented, payment: [] }, { ...presented, [byMpp]: [] }]
}

/** By what a caller without a credential is known again, where the call is kept. */
function withSecret(group: readonly AnyOperation[], input: JsonObject): JsonObject {
  const taken = group.some(
    (operation) => waysOf(operation).includes('public') && !isPlain(operation),
  )
  if (!taken) return input
  const parameters = [
    ...((input['parameters'] as JsonObject[] | undefined) ?? []),
    idempotencySecret,
  ]
  return { ...input, parameters }
}

function inputOf(group: readonly AnyOperation[], components: SchemaComponents): JsonObject {
  const named = namesIn(group[0]?.http.path ?? '')
  const inputs = group.map(({ id, mode, input }) => ({
    id,
    mode,
    schema: explained(id, components.write(input, 'input'), components),
  }))
  const [first] = inputs
  const given = argumentsOf(group[0])
  const inPath = [
    ...named.map((name) => ({ ...pathParameter(name, first?.schema), ...given(name) })),
    ...(group.some(({ next }) => next !== undefined) ? [preferParameter] : []),
  ]
  const inQuery = queryOf(first?.schema, named).map((parameter) => ({
    ...parameter,
    ...given(String(parameter['name'])),
  }))
  const [operation] = group
  if (operation === undefined || first === undefined || !hasBody(operation.http.method))
    return parametersOf(inPath, inQuery)
  const { stream } = operation
  if (stream !== undefined) {
    // The bytes are no JSON value, so they have no schema.
    const content = Object.fromEntries(
      stream.mediaTypes.map((type, index) => [type, index === 0 ? streamExampleOf(operation) : {}]),
    )
    return {
      ...parametersOf(inPath, inQuery),
      requestBody: { required: true, content },
    }
  }
  const refs = inputs.map(({ id, mode, schema }) => ({
    mode,
    ref: components.name(`${id}.input`, without(schema, named)),
  }))
  const mapping = Object.fromEntries(refs.map(({ mode = '', ref }) => [mode, ref.$ref]))
  const modes = {
    oneOf: refs.map(({ ref }) => ref),
    discriminator: { propertyName: 'mode', mapping },
  }
  const schema = first.mode === undefined ? refs[0]?.ref : modes
  const content = { 'application/json': { schema, examples: bodyExamplesOf(group) } }
  return {
    ...parametersOf(inPath),
    requestBody: { required: !isBodyOptional(group), content },
  }
}

const preferParameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  schema: { type: 'string', pattern: '^wait=[0-9]+$' },
  description: `RFC 7240: wait=20 has one paid read wait for the next change, at most ${WAIT_SECONDS_MAX} seconds; Preference-Applied says so.`,
}

type Members = { properties?: JsonObject; required?: string[] }

/** The schema without what stands in the path. */
function without(schema: JsonObject, named: readonly string[]): JsonObject {
  if (named.length === 0) return schema
  const { properties = {}, required = [] } = schema as Members
  const left = Object.entries(properties).filter(([name]) => !named.includes(name))
  return {
    ...schema,
    properties: Object.fromEntries(left),
    required: required.filter((name) => !named.includes(name)),
  }
}

/** The schema of an input in which each member says what it means: by itself, else as the reference explains its name. */
function explained(id: string, schema: JsonObject, components: SchemaComponents): JsonObject {
  const { properties } = schema as Members
  if (properties === undefined) return schema
  const members = Object.entries(properties).map(([name, part]) => {
    const member = part as JsonObject
    const description =
      member['description'] ?? components.read(member)['description'] ?? meaningOf(id, name)
    return [name, description === undefined ? member : { ...member, description }]
  })
  return { ...schema, properties: Object.fromEntries(members) }
}

/** What a parameter is, with its description where tools look for it. */
function parameterOf(name: string, member: unknown): JsonObject {
  const { description, ...schema } = member as JsonObject
  return { name, schema, ...(description === undefined ? {} : { description }) }
}

function pathParameter(name: string, schema: JsonObject = {}): JsonObject {
  const token = {
    type: 'string',
    pattern: '^[a-z]{2}_[A-Za-z0-9_-]{43}$',
    description: 'A status token, which is a secret.',
  }
  const { properties = {} } = schema as Members
  const member = name === 'token' ? token : (properties[name] ?? { type: 'string' })
  return { ...parameterOf(name, member), in: 'path', required: true }
}

function queryOf(schema: JsonObject = {}, named: readonly string[] = []): JsonObject[] {
  const { properties = {}, required = [] } = without(schema, named) as Members
  return Object.entries(properties).map(([name, part]) => ({
    ...parameterOf(name, part),
    in: 'query',
    required: required.includes(name),
  }))
}

const parametersOf = (...lists: JsonObject[][]): JsonObject => {
  const parameters = lists.flat()
  return parameters.length === 0 ? {} : { parameters }
}
