import { z } from 'zod'
import { capitalized } from '#domain/core/plain-text.ts'
import type { Operations } from '../calls/call.ts'
import { problemSchema } from '../http/openapi-components.ts'
import { groupByPath } from '../http/operation-groups.ts'
import { type AnyOperation, takesPayment, waysOf } from '../operation.ts'
import { type ToolName, toolNames } from '../tool-names.ts'

type JsonSchema = { readonly type: 'object' } & Record<string, unknown>

/** A tool as `tools/list` shows it. */
type ToolEntry = {
  readonly name: ToolName
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** A tool, its operation, and all the operations that share the operation's path and method. */
export type Tool = {
  readonly entry: ToolEntry
  readonly operation: AnyOperation
  readonly group: Operations
  /** The operation reads its idempotency key in a header alone, so the tool has an argument for it. */
  readonly keyInHeader: boolean
}

/** The tools of a registry, in the documented order: one for each operation that declares a tool's name. */
export function toolsOf(registry: readonly AnyOperation[]): readonly Tool[] {
  const groups = groupByPath(registry)
  return toolNames.flatMap((name) => {
    const operation = registry.find(({ tool }) => tool === name)
    if (operation === undefined) return []
    const { method, path } = operation.http
    const [first, ...others] = groups.find((one) => one.path === path)?.methods.get(method) ?? []
    if (first === undefined) throw new Error(`no route for ${operation.id}`)
    return [toolOf(name, operation, [first, ...others])]
  })
}

function toolOf(name: ToolName, operation: AnyOperation, group: Operations): Tool {
  const { mode: _mode, ...properties } = propertiesOf(operation)
  const keyInHeader = operation.idempotency.kind === 'body' && !('idempotency_key' in properties)
  return {
    operation,
    group,
    keyInHeader,
    entry: {
      name,
      title: titleOf(name),
      description: descriptionOf(operation),
      inputSchema: argumentsOf(operation, keyInHeader),
      outputSchema: resultSchemaOf(operation),
      annotations: annotationsOf(operation),
    },
  }
}

/**
 * The operation's input without its constant `mode`, and without a rule over its members: APIs of models refuse a combinator at the
 * top of a tool's input. The rule is in the description, and the call is still held to it.
 */
function argumentsOf(operation: AnyOperation, keyInHeader: boolean): JsonSchema {
  const { properties, required = [], oneOf, anyOf, not, ...schema } = inputOf(operation)
  const { mode: _mode, ...given } = properties ?? {}
  const needed = required.filter((name) => name !== 'mode')
  return {
    ...schema,
    type: 'object',
    properties: keyInHeader ? { ...given, idempotency_key: headerKey } : given,
    ...(needed.length === 0 ? {} : { required: needed }),
  }
}

const headerKey = {
  type: 'string',
  pattern: '^[A-Za-z0-9._:-]{1,128}$',
  description: 'A repeat with the same key gets the first answer.',
}

type Needs = { readonly required?: readonly string[] }
type InputSchema = Needs & {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly oneOf?: readonly Needs[]
  readonly anyOf?: readonly Needs[]
  readonly not?: Needs
} & Record<string, unknown>

/** Without `propertyNames`, which says of a record only that names are text, and which APIs of models do not know. */
const schemaOf = (type: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(type, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.propertyNames !== undefined) delete jsonSchema.propertyNames
    },
  })

const inputOf = ({ input }: AnyOperation): InputSchema => schemaOf(input, 'input') as InputSchema

const propertiesOf = (operation: AnyOperation) => inputOf(operation).properties ?? {}

/** The answer, or the refusal: clients check the structured content of an error against this schema, too. */
function resultSchemaOf({ output }: AnyOperation): JsonSchema {
  const { $schema, $defs, ...answer } = schemaOf(output, 'output')
  return {
    $schema,
    type: 'object',
    anyOf: [answer, refusal],
    ...($defs === undefined ? {} : { $defs }),
  }
}

const refusal = {
  type: 'object',
  required: problemSchema['required'],
  description: 'A refusal, as /schemas/problem.v1.json describes it.',
}

function annotationsOf(operation: AnyOperation): ToolEntry['annotations'] {
  const { idempotency, destructive = false } = operation
  const readOnlyHint = idempotency.kind === 'read'
  const named = inputOf(operation)
  const keyed = named.required?.includes('idempotency_key') ?? false
  return {
    readOnlyHint,
    destructiveHint: destructive,
    idempotentHint: idempotency.kind === 'body' ? keyed : true,
    openWorldHint: takesPayment(operation) || 'callback_url' in (named.properties ?? {}),
  }
}

const titleOf = (name: ToolName): string => capitalized(name.replaceAll('_', ' '))

function descriptionOf(operation: AnyOperation): string {
  const texts = [
    operation.summary,
    ...ruleTexts(inputOf(operation)),
    accessText(operation),
    priceText(operation),
    repeatText(operation),
    ...(operation.status[0] === 202 ? [RUN_TEXT] : []),
    ...(operation.startsRun === undefined ? [] : [TASK_TEXT]),
  ]
  return texts.join(' ')
}

/** Which members belong together, where the schema says it by what is required alone. */
function ruleTexts({ oneOf, anyOf, not }: InputSchema): string[] {
  const names = (forms: readonly Needs[]) =>
    forms.flatMap(({ required }) => required?.join(' with ') ?? []).join(' or ')
  const isByName = oneOf?.every((form) => Object.keys(form).join() === 'required') === true
  return [
    ...(isByName ? [`Give exactly one of ${names(oneOf)}.`] : []),
    ...(anyOf === undefined ? [] : [`Give ${names(anyOf)}, or both.`]),
    ...(not?.required === undefined ? [] : [`Give ${not.required.join(' or ')}, not both.`]),
  ]
}

const RUN_TEXT =
  'The run continues after this answer: read it with get_run_status, whose wait_ms waits until it moves, and fetch its result with fetch_return_package once it is attested.'

const TASK_TEXT = 'A client that declares io.modelcontextprotocol/tasks gets the run as a task.'

function accessText(operation: AnyOperation): string {
  const ways = waysOf(operation)
  if (ways.includes('public')) return 'Needs no credential.'
  const scopes = operation.needs?.scopes.join(' and ')
  const texts = {
    agent: `the access key of an agent${scopes === undefined ? '' : ` with ${scopes}`} in Authorization`,
    operator: 'the credential of an operator in Authorization',
    status: 'a status token in X-Status-Token',
    wallet: 'a wallet proof in X-Service-Wallet-Proof',
    provider: 'the signature of a webhook',
    public: '',
  }
  return `Needs ${ways.map((way) => texts[way]).join(', or ')}.`
}

function priceText({ price, carriesPayment }: AnyOperation): string {
  if (carriesPayment === true)
    return 'Costs the total of its quote; unpaid, its result is an error with x402 offers in accepts, and the same call with a signed payment in _meta["x402/payment"] goes through.'
  if (price === null) return 'Free of charge.'
  return `Costs ${price} atomic units; unpaid, its result is an error with x402 offers in accepts, and the same call with a signed payment in _meta["x402/payment"] goes through.`
}

const repeatText = ({ idempotency }: AnyOperation): string =>
  idempotency.kind === 'read'
    ? 'Changes nothing and needs no key; any other call is repeated with the same idempotency_key.'
    : 'When you repeat this call, reuse the same idempotency_key: a new key is a new call.'
