import type { z } from 'zod'
import { type ErrorCode, errorCodes } from '#domain/core/error-codes.ts'
import { commonErrors } from '../calls/problem.ts'
import { type AnyOperation, isPlain, takesPayment } from '../operation.ts'
import { answerExamplesOf } from './openapi-examples.ts'
import type { JsonObject, SchemaComponents } from './schema-components.ts'

const meanings: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted; the outcome is not known yet',
  503: 'Not well',
}
const everyAnswer = ['X-Request-Id', 'X-Interface-Version', 'Cache-Control']

/** The responses of all operations behind one method and path, merged by status: success bodies by `oneOf`, refusals by their codes. */
export function responsesOf(
  group: readonly AnyOperation[],
  components: SchemaComponents,
): JsonObject {
  const codes = [
    ...new Set(group.flatMap((operation) => [...operation.errors, ...commonErrors(operation)])),
  ]
  const statuses = new Set([
    ...group.flatMap(({ status }) => status),
    ...codes.map((code) => errorCodes[code].status),
  ])
  const sorted = [...statuses].sort((a, b) => a - b)
  return Object.fromEntries(
    sorted.map((status) => [String(status), responseOf(status, group, codes, components)]),
  )
}

function responseOf(
  status: number,
  group: readonly AnyOperation[],
  codes: readonly ErrorCode[],
  components: SchemaComponents,
): JsonObject {
  const answering = group.filter((operation) => operation.status.includes(status))
  const refusing = codes.filter((code) => errorCodes[code].status === status)
  return {
    description:
      answering.length > 0 ? (meanings[status] ?? 'Answered') : refusing.map(titleOf).join('; '),
    headers: headersOf(status, group, refusing),
    content: {
      ...(answering.length === 0
        ? {}
        : { 'application/json': answersOf(status, answering, components) }),
      ...(status === 200 && answering.some(({ asFiles }) => asFiles !== undefined)
        ? { 'application/zip': {} }
        : {}),
      ...(status === 200 ? bytesOf(answering) : {}),
      ...(refusing.length === 0
        ? {}
        : { 'application/problem+json': { schema: problemOf(status, refusing) } }),
    },
  }
}

const bytesOf = (answering: readonly AnyOperation[]) =>
  Object.fromEntries(
    answering.flatMap(({ asBytes }) => (asBytes === undefined ? [] : [[asBytes.type, {}]])),
  )

function answersOf(
  status: number,
  answering: readonly AnyOperation[],
  components: SchemaComponents,
): JsonObject {
  const schema = bodies(answering, components)
  const examples = answerExamplesOf(answering, status)
  return Object.keys(examples).length === 0 ? { schema } : { schema, examples }
}

const titleOf = (code: ErrorCode): string => errorCodes[code].title

function bodies(answering: readonly AnyOperation[], components: SchemaComponents): JsonObject {
  const outputs = [...new Set(answering.map(({ output }): z.ZodType => output))]
  const schemas = outputs.map((output) => components.write(output, 'output'))
  return schemas.length === 1 ? (schemas[0] ?? {}) : { oneOf: schemas }
}

function problemOf(status: number, codes: readonly ErrorCode[]): JsonObject {
  const exact = {
    type: 'object',
    properties: { status: { const: status }, code: { enum: [...codes].sort() } },
  }
  return { allOf: [{ $ref: '#/components/schemas/Problem' }, exact] }
}

function headersOf(
  status: number,
  group: readonly AnyOperation[],
  refusing: readonly ErrorCode[],
): JsonObject {
  const priced = group.some(takesPayment)
  const written = group.some(({ idempotency }) => 'key' in idempotency)
  const names = [
    ...everyAnswer,
    ...(group.some(({ http }) => http.cacheable) && status === 200 ? ['ETag'] : []),
    ...(priced && status < 300 ? ['PAYMENT-RESPONSE', 'Payment-Receipt'] : []),
    ...(written && status < 300 && status !== 202 ? ['Idempotent-Replayed'] : []),
    ...(status === 401 || (priced && status === 402) ? ['WWW-Authenticate'] : []),
    ...(status === 402 ? ['PAYMENT-REQUIRED'] : []),
    ...(status === 405 ? ['Allow'] : []),
    ...(status === 409 || status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(refusing.includes('rate_limited') || (status < 300 && group.every(isPlain))
      ? ['RateLimit', 'RateLimit-Policy']
      : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
