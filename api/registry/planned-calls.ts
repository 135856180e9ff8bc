import type { z } from 'zod'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { exampleOf } from '../examples/index.ts'
import type { HostUrls } from '../http/openapi.ts'
import { bodyOfExample } from '../http/openapi-examples.ts'
import { hasBody } from '../http-method.ts'
import { credentialHeaders, priceOf } from '../mcp/descriptor.ts'
import { type AccessKind, type AnyOperation, waysOf } from '../operation.ts'
import type { StartHere } from '../shapes/start-here.ts'

type Step = z.output<typeof StartHere>['steps'][number]
type Replaced = Step['replace'][number]
export type PlannedCall = {
  readonly operationId: string
  /** Members of the example that follow from the rail and its input, or that a first run does without. */
  readonly changes?: (rail: RailKey, input: unknown) => Readonly<Record<string, unknown>>
  readonly replace: readonly Replaced[]
}

/** A member of the body that the caller makes itself. */
export const own = (name: string, how: string): Replaced => ({
  place: 'body',
  name,
  from: null,
  pointer: null,
  how,
})

/** What an earlier call has answered. */
export const answered = (
  place: Replaced['place'],
  name: string,
  from: string,
  pointer: string,
  how = `The answer of ${from} has it.`,
): Replaced => ({ place, name, from, pointer, how })

export const ownKey = own(
  'idempotency_key',
  'Any text of your own; a repeat with the same text is one call.',
)

/** A plan for a rail; without an input it is on the sample of the rail. */
export type Plan = { calls: readonly PlannedCall[]; rail: RailKey; input?: unknown }

/** The calls of a plan in their order, each with a body that its schema takes; throws where an example does not fit its operation any more. */
export function plannedCalls(
  registry: readonly AnyOperation[],
  { baseUrl, osUrl }: HostUrls,
  { calls, rail, input = railOf(rail).sandboxInput }: Plan,
): Step[] {
  return calls.map(({ operationId, changes, replace }, index) => {
    const operation = registry.find(({ id }) => id === operationId)
    if (operation === undefined) throw new Error(`there is no operation ${operationId}`)
    const { summary, http } = operation
    return {
      step: index + 1,
      operation_id: operationId,
      summary,
      method: http.method,
      url: `${http.host === 'os' ? osUrl : baseUrl}${http.path}`,
      access: [...waysOf(operation)],
      header: headerOf(waysOf(operation), replace),
      price: priceOf(operation),
      example_body: hasBody(http.method) ? bodyFor(operation, changes?.(rail, input) ?? {}) : null,
      replace: [...replace],
    }
  })
}

/** What the call presents, which `replace` puts into a header. */
function headerOf(ways: readonly AccessKind[], replace: readonly Replaced[]): string | null {
  const name = replace.find(({ place }) => place === 'header')?.name
  const headers = ways.flatMap((way) => (way === 'public' ? [] : [credentialHeaders[way]]))
  return headers.find((header) => header.split(':')[0] === name) ?? null
}

function bodyFor(
  operation: AnyOperation,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const withChanges = (members: object) =>
    Object.fromEntries(
      Object.entries({ ...members, ...changes }).filter(([, value]) => value !== undefined),
    )
  operation.input.parse(withChanges(exampleOf(operation).input))
  return withChanges(bodyOfExample(operation))
}
