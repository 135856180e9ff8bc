import { z } from 'zod'
import type { Scope } from '#domain/agents/credential.ts'
import type { TokenPrefix } from '#domain/agents/status-token.ts'
import type { ErrorCode } from '#domain/core/error-codes.ts'
import type { GatedWrite } from '#domain/production/write-gate.ts'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import type { CallAnswer, Context } from './context.ts'
import type { HttpMethod } from './http-method.ts'
import type { ToolName } from './tool-names.ts'

/** How a caller proves who it is. */
export type AccessKind = 'public' | 'wallet' | 'agent' | 'operator' | 'status' | 'provider'
/** One kind or several. What the caller presents picks one; with nothing presented it is `public`, if that is among them. */
export type Access = AccessKind | readonly [AccessKind, ...AccessKind[]]
export type Host = 'base' | 'os' | 'both'

/** The part of the daily quotas that a new call uses. */
export type Uses = Readonly<
  Partial<
    Record<
      | 'registrations'
      | 'tasks'
      | 'workflows'
      | 'candidates'
      | 'pilots'
      | 'analyses'
      | 'records'
      | 'posts'
      | 'kib',
      number
    >
  >
>

/** What the call's row keeps until the call is answered, for the workflow step that runs its effect. */
type Kept = {
  readonly keepsInput?: true
  /** The input and the wallet proof, which the step verifies again. */
  readonly keepsProof?: true
}

/**
 * How a repeat of a call is recognised: `read` never writes, `body` by an idempotency key, `natural` by named fields of the input.
 * An `effect` is its own record: a repeat finds what the first call wrote, so the call needs no row.
 * Without a key in the body, the key is the `Idempotency-Key` header, else the nonce of the wallet proof, else a random one.
 * `fingerprint` is the part of the input that has to be equal under one key, such as an amount that reads `1.0` or `1.00`.
 */
type Idempotency<Input> =
  | { readonly kind: 'read' }
  | { readonly kind: 'effect' }
  | ({
      readonly kind: 'body'
      readonly key: (input: Input) => string | undefined
      readonly fingerprint?: (input: Input) => unknown
    } & Kept)
  | ({ readonly kind: 'natural'; readonly key: (input: Input) => string } & Kept)

/** The answer is in the call's row: the transaction of the effect stored it there. */
export type StoredAnswer = { readonly answeredBy: 'workflow' | 'service' }
/** Returned by `handle` where a step of a workflow stores the answer. */
export const answeredByWorkflow: StoredAnswer = { answeredBy: 'workflow' }
/** Returned by `handle` where a service of the API stores the answer. */
export const answeredByService: StoredAnswer = { answeredBy: 'service' }

/** The answer as a value: a body of the output schema, and a status where the operation has several. */
export type ReplyBody<Output> = {
  readonly status?: number
  readonly body: Output
  /** For a 202 whose effect has used the grant of the call: its lease blocks no other caller. */
  readonly grantUsed?: true
  /** For an answer that is not stored: a 202, which each repeat works out again, or one of a call without a row. */
  readonly headers?: CallAnswer['headers']
}
/** What `handle` returns. */
export type Reply<Output> = ReplyBody<Output> | StoredAnswer

/** One operation. Routes, OpenAPI, client and checks are derived from it and from nothing else. */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly id: string
  readonly summary: string
  readonly http: {
    readonly method: HttpMethod
    readonly path: string
    readonly aliases?: readonly string[]
    readonly host: Host
    /** Any cache may keep the answer for five minutes. */
    readonly cacheable?: true
    /** Answers machines without Postgres and without rate limits, as liveness and readiness do. */
    readonly unlimited?: true
  }
  /** The constant `mode` of the input, where several operations share a path. */
  readonly mode?: string
  /** The operation for bodies without a mode: that of its input is optional. */
  readonly defaultMode?: true
  /** MCP tool name. */
  readonly tool?: ToolName
  /** The id of the run that an answer started: MCP clients that take tasks get that run as one. */
  readonly startsRun?: (answer: z.output<Output>) => string
  /** A call may take away what was there, such as a key; MCP clients ask their user first. */
  readonly destructive?: true
  readonly access: Access
  /** What an agent's credential needs: all of these scopes, the rails that `rail` reads from the input, and the rails of the ids in it. */
  readonly needs?: {
    readonly scopes: readonly [Scope, ...Scope[]]
    readonly rail?: (input: z.output<Input>) => string | readonly string[] | undefined
  }
  /** Any live key may call it: the operation judges by itself what the key lacks, and records that. */
  readonly judgesKey?: true
  /** A production write of an agent, which passes the production write gate in its own transaction. */
  readonly gate?: GatedWrite
  /**
   * The kinds of status token that the operation takes, in the path's `{token}` or in `X-Status-Token`. With `signed` it also needs
   * `X-Agent-Signature`, because a token alone only reads. The token of an order or sandbox run without an agent is enough: there is no key
   * to sign with.
   */
  readonly statusToken?: { readonly prefixes: readonly TokenPrefix[]; readonly signed: boolean }
  /** The key in the input that may sign a repeat (`X-Agent-Signature` without a token); the repeat then gets the first answer. */
  readonly recalledBy?: (input: z.output<Input>) => Readonly<Record<string, unknown>>
  /** A public operation that reports on a presented credential instead of refusing a bad one. */
  readonly examines?: boolean
  /** Atomic units of the asset for one call; null is free of charge. */
  readonly price: bigint | null
  /** An agent may be permitted single calls of it by a mandate and a grant; `spendsUsd` is what such a call costs. */
  readonly delegable?: true
  /** The price of a call in whole usd, as the operation computes it; throws the refusal of an input without a price. */
  readonly spendsUsd?: (input: z.output<Input>, context: Context) => Promise<number>
  /** The rails of a delegated call beyond those that its input names: of a record that another agent gave. */
  readonly delegatedRails?: (
    input: z.output<Input>,
    by: { agentId: string; context: Context },
  ) => Promise<string[]>
  /** Members of the answer that only a direct caller gets, such as a token: a delegated action does not store them. */
  readonly undelegated?: readonly string[]
  /** A free operation whose calls may carry the x402 payment for the run that they start. */
  readonly carriesPayment?: true
  /** `after`: handle, then settle, answer withheld until settled. `before`: precondition, settle, then handle. */
  readonly charge: 'after' | 'before'
  /**
   * What a new call uses of the daily quotas; the bytes of its body count unless `kib` is given. Unless declared, a call that
   * leaves a row uses one of `records`, where anyone, an agent or a status token makes it for free.
   */
  readonly uses?: (input: z.output<Input>) => Uses
  readonly limits?: {
    readonly bodyBytes?: number
    /** How large the body of a caller without a credential may be, where that is more than usual. */
    readonly openBodyBytes?: number
    readonly addressPerMinute?: number
  }
  /** The body is passed on as a stream, in `context.sent`; the input is in path and query alone. */
  readonly stream?: {
    readonly mediaTypes: readonly [string, ...string[]]
    readonly bytesMax: number
  }
  /** Success statuses, the usual one first. Only a 2xx other than 202 is final. */
  readonly status: readonly [number, ...number[]]
  /** The codes that only this operation has; the common ones follow from access, price and method. */
  readonly errors: readonly ErrorCode[]
  readonly idempotency: Idempotency<z.output<Input>>
  readonly input: Input
  readonly output: Output
  /** The package whose files a 200 also is: a zip where `Accept` asks for `application/zip`. */
  readonly asFiles?: (body: z.output<Output>) => ReturnPackage
  /** The bytes that a 200 also is, where `Accept` asks for their type. */
  readonly asBytes?: {
    readonly type: string
    readonly of: (body: z.output<Output>) => Uint8Array
  }
  /** Refuses a known caller that may not do this, before a repeat gets the stored answer. */
  readonly authorize?: (input: z.output<Input>, context: Context) => Promise<void>
  /** Refuses a delegated call that could only be refused after it began, such as one that cannot pay; it uses no grant. */
  readonly authorizeDelegated?: (input: z.output<Input>, context: Context) => Promise<void>
  /** Completes a stored answer with what is derived for each caller and never stored, such as a token or the text of a row. */
  readonly reveal?: (
    answer: Record<string, unknown>,
    context: Context,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>
  /** For an answer that is given once: the refusal of a repeat, by what was answered. */
  readonly refuseRepeat?: (answer: z.output<Output>) => Error
  /** Refuses before anything begins; a call that pays also checks what its effect would refuse. Only for `charge: 'before'`. */
  readonly precondition?: (input: z.output<Input>, context: Context, paid: boolean) => Promise<void>
  readonly handle: (input: z.output<Input>, context: Context) => Promise<Reply<z.output<Output>>>
  /** For a read with `Prefer: wait`: the body once it differs from `read`, or the current one when the time is up. */
  readonly next?: (
    input: z.output<Input>,
    context: Context,
    waits: { readonly read: z.output<Output>; readonly ms: number },
  ) => Promise<z.output<Output>>
}

/** What the row of a call keeps of its request. */
export const keptOf = ({ idempotency }: Pick<AnyOperation, 'idempotency'>): Kept =>
  'key' in idempotency ? idempotency : {}

/** Where a call has the credential of MPP: one whose caller presents itself in Authorization has no room for it there. */
export const paymentHeaderOf = (
  operation: Pick<AnyOperation, 'access'>,
): 'Authorization' | 'Payment-Authorization' =>
  waysOf(operation).some((way) => way === 'agent' || way === 'operator')
    ? 'Payment-Authorization'
    : 'Authorization'

/** Whether a call may carry a payment, by x402 or MPP. */
export const takesPayment = ({
  price,
  carriesPayment,
}: Pick<AnyOperation, 'price' | 'carriesPayment'>): boolean =>
  price !== null || carriesPayment === true

/** Whether a call needs no row of its own: it costs nothing, and a repeat does no harm. */
export function isPlain({
  idempotency,
  price,
}: Pick<AnyOperation, 'idempotency' | 'price'>): boolean {
  return price === null && (idempotency.kind === 'read' || idempotency.kind === 'effect')
}

/** The access kinds of an operation; the first refuses a caller that presents nothing. */
export function waysOf({
  access,
}: Pick<Operation, 'access'>): readonly [AccessKind, ...AccessKind[]] {
  return typeof access === 'string' ? [access] : access
}

type IdempotencyDeclaration<Input> =
  | Exclude<Idempotency<Input>, { kind: 'body' }>
  | (Omit<Extract<Idempotency<Input>, { kind: 'body' }>, 'key'> & {
      readonly key?: (input: Input) => string | undefined
    })
type Defaults = 'price' | 'charge' | 'status' | 'errors' | 'input' | 'idempotency'

/**
 * An operation without its defaults: free of charge, 200, no codes of its own, an empty input, a GET is a
 * read, and any other call is known by `idempotency_key` of its input.
 */
export type OperationDeclaration<Input extends z.ZodType, Output extends z.ZodType> = Omit<
  Operation<Input, Output>,
  Defaults | 'mode' | 'defaultMode'
> &
  Partial<Omit<Pick<Operation<Input, Output>, Defaults>, 'idempotency'>> & {
    readonly idempotency?: IdempotencyDeclaration<z.output<Input>>
  }

const noInput = z.strictObject({})

/** Declares an operation with its input and output types tied together, and its id as a literal for the typed client. */
export function operation<
  const Id extends string,
  Input extends z.ZodType = typeof noInput,
  Output extends z.ZodType = z.ZodType,
>(
  declared: OperationDeclaration<Input, Output> & { readonly id: Id },
): Operation<Input, Output> & { readonly id: Id } {
  const { input = noInput as z.ZodType as Input } = declared
  const whole: Operation<Input, Output> & { readonly id: Id } = {
    price: null,
    charge: 'after',
    status: [200],
    errors: [],
    ...declared,
    ...modeOf(input),
    input,
    idempotency: idempotencyOf(declared),
  }
  return leavesRecord(whole) ? { uses: oneRecord, ...whole } : whole
}

function modeOf(input: z.ZodType): Pick<Operation, 'mode' | 'defaultMode'> {
  const field: unknown = input instanceof z.ZodObject ? input.shape['mode'] : undefined
  const literal = field instanceof z.ZodOptional ? field.unwrap() : field
  if (!(literal instanceof z.ZodLiteral)) return {}
  const mode = String(literal.value)
  return literal === field ? { mode } : { mode, defaultMode: true }
}

const oneRecord = (): Uses => ({ records: 1 })
const counted: ReadonlySet<AccessKind> = new Set(['public', 'agent', 'status'])

/** Whether a call leaves a row for which nothing but a quota is a limit: no price, and no operator who answers for it. */
export const leavesRecord = (
  operation: Pick<AnyOperation, 'access' | 'idempotency' | 'price'>,
): boolean =>
  operation.price === null &&
  !isPlain(operation) &&
  waysOf(operation).some((way) => counted.has(way))

function idempotencyOf<Input extends z.ZodType, Output extends z.ZodType>({
  http,
  idempotency,
}: OperationDeclaration<Input, Output>): Idempotency<z.output<Input>> {
  if (idempotency?.kind === 'body') return { key: keyInBody, ...idempotency }
  if (idempotency !== undefined) return idempotency
  return http.method === 'GET' ? { kind: 'read' } : { kind: 'body', key: keyInBody }
}

function keyInBody(input: unknown): string | undefined {
  const hasKey = typeof input === 'object' && input !== null && 'idempotency_key' in input
  return hasKey && typeof input.idempotency_key === 'string' ? input.idempotency_key : undefined
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds operations of every input and output; variance leaves no narrower type.
export type AnyOperation = Operation<any, any>
