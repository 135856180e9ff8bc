import { exampleOf } from '../examples/index.ts'
import type { AnyOperation } from '../operation.ts'
import { namesIn } from './operation-groups.ts'
import type { JsonObject } from './schema-components.ts'

/** The example of one parameter in the path or query, where the operation's example gives it. */
export function argumentsOf(operation: AnyOperation | undefined): (name: string) => JsonObject {
  const given: JsonObject = operation === undefined ? {} : exampleOf(operation).input
  return (name) => (Object.hasOwn(given, name) ? { example: given[name] } : {})
}

/** The body of an operation's example: its input without what stands in the path. */
export function bodyOfExample(operation: AnyOperation): JsonObject {
  const named = namesIn(operation.http.path)
  const members = Object.entries(exampleOf(operation).input).filter(
    ([name]) => !named.includes(name),
  )
  return Object.fromEntries(members)
}

/** One example for each operation behind a path, under its id. */
export const bodyExamplesOf = (group: readonly AnyOperation[]): JsonObject =>
  Object.fromEntries(
    group.map((operation) => [
      operation.id,
      { summary: operation.summary, value: bodyOfExample(operation) },
    ]),
  )

/** The answer of each operation that usually answers with this status. */
export const answerExamplesOf = (group: readonly AnyOperation[], status: number): JsonObject =>
  Object.fromEntries(
    group
      .filter((operation) => operation.status[0] === status)
      .map(({ id, summary }) => [id, { summary, value: exampleOf({ id }).output }]),
  )

/** The example of a body that is a stream. */
export function streamExampleOf(operation: AnyOperation): JsonObject {
  const { bytes } = exampleOf(operation)
  return bytes === undefined ? {} : { example: bytes }
}
