import { z } from 'zod'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { isObject } from '#domain/core/plain-object.ts'
import { jsonOf } from '#domain/core/strict-json.ts'
import { freeTool } from '#domain/resolver/catalogue.ts'
import { screenFreeText } from '../../activities/screening/free-text.ts'
import { bodyOf, checkOutput } from '../calls/handle.ts'
import { readInput } from '../calls/input.ts'
import type { Context } from '../context.ts'
import { type AnyOperation, isPlain } from '../operation.ts'
import type { FreeTool } from '../services/resolver/resolver.ts'

/** The free tool library: what any caller may use without money, an account or a review. */
const library: ReadonlySet<string> = new Set([
  'verify-receipt',
  'receipt-bundle',
  'log-inclusion',
  'log-consistency',
  'agent-passport-verify',
  'signing-verify',
  'free-proof-run',
  'model-analysis-run',
  'model-relay-run',
  'investor-demo-run',
  'agent-sandbox-run',
  'service-scout-read',
  'agent-pricing',
  'agent-registry-list',
  'activity-feed-read',
  'credential-policy-read',
  'diligence-product-links',
  'sample-return-packages',
  'compliance-samples-read',
])

/** Whether `run_service` runs it: a read without a budget of its own; the others are called at their own paths. */
const isRunHere = (operation: AnyOperation): boolean =>
  operation.http.method === 'GET' && operation.idempotency.kind === 'read' && isPlain(operation)

/** The free tools of a registry. */
export const freeToolsOf = (registry: readonly AnyOperation[]): FreeTool<Context>[] =>
  registry
    .filter(({ id }) => library.has(id))
    .map((operation) => {
      const { id, summary, http, tool } = operation
      const service = freeTool({ id, summary, path: http.path, tool })
      const next_action = isRunHere(operation)
        ? `Call run_service with ${service.service_id}.`
        : `Call ${http.method} ${http.path}; it is free.`
      return {
        service,
        operation_id: id,
        method: http.method,
        path: http.path,
        next_action,
        run: async (task, context) => {
          if (!isRunHere(operation))
            throw refuse('unsupported_request', {
              detail: `${id} has a budget of its own, so that run_service does not run it`,
              next_action,
            })
          const input = readTask(operation, task)
          const { body } = bodyOf(operation, await operation.handle(input, context))
          return { input, result: checkOutput(operation, body) }
        },
      }
    })

/** The input that a task is for this operation; 400 with pointers below `/task`. */
function readTask(operation: AnyOperation, task: string): unknown {
  const given = inputOfTask(operation, task)
  if (given === undefined)
    throw refuse('invalid_request', {
      detail: `the task of ${operation.id} is a JSON object as text`,
      next_action: 'Send its input as the reference describes it.',
      errors: [{ pointer: '/task', message: 'is not a JSON object' }],
    })
  try {
    const input = readInput(operation, given)
    screenFreeText(operation.input, input)
    return input
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { errors = [] } = error.refusal
    const moved = errors.map((one) => ({ ...one, pointer: `/task${one.pointer}` }))
    throw new DomainError({ ...error.refusal, errors: moved })
  }
}

/**
 * The input that a task describes: a JSON object as it is, any other text as the one member that the operation requires. Undefined where
 * the text is no JSON object and no single member is required.
 */
function inputOfTask({ input }: AnyOperation, task: string): unknown {
  const given = jsonOf(task)
  if (isObject(given)) return given
  const { required = [] } = z.toJSONSchema(input, { io: 'input' })
  const [only, ...others] = required
  return only === undefined || others.length > 0 ? undefined : { [only]: task }
}
