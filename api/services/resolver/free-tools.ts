import { z } from 'zod'
import { isObject } from '#domain/core/plain-object.ts'
import { freeTool, type Listed } from '#domain/services/catalogue.ts'
import { type AnyOperation, isPlain } from '../../operation.ts'

/**
 * Whether an operation is a free tool: any caller may read it on the base host, it answers from what the caller gives, and it is no
 * document of the service itself.
 */
function isFreeTool(operation: AnyOperation): boolean {
  const { access, http, idempotency, input } = operation
  return (
    access === 'public' &&
    http.method === 'GET' &&
    http.host === 'base' &&
    http.cacheable !== true &&
    http.unlimited !== true &&
    idempotency.kind === 'read' &&
    isPlain(operation) &&
    Object.keys(z.toJSONSchema(input, { io: 'input' }).properties ?? {}).length > 0
  )
}

/** The free tools of a registry as services. */
export const freeToolsOf = (registry: readonly AnyOperation[]): Listed[] =>
  registry
    .filter(isFreeTool)
    .map(({ id, summary, http, tool }) => freeTool({ id, summary, path: http.path, tool }))

/**
 * The input that a task describes: a JSON object as it is, any other text as the one member that the operation requires. Undefined where
 * the text is no JSON object and no single member is required.
 */
export function inputOfTask({ input }: AnyOperation, task: string): unknown {
  const given = parsed(task)
  if (isObject(given)) return given
  const { required = [] } = z.toJSONSchema(input, { io: 'input' })
  const [only, ...others] = required
  return only === undefined || others.length > 0 ? undefined : { [only]: task }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
