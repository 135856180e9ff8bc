import type { z } from 'zod'
import type { Scope } from '../workflows/domain/credential.ts'
import type { ErrorCode } from '../workflows/domain/errors.ts'
import type { TokenPrefix } from '../workflows/domain/status-token.ts'
import type { Context } from './context.ts'
import type { Uses } from './quotas.ts'

/** How a caller presents itself (api-conventions.md, Access kinds). */
export type AccessKind = 'public' | 'wallet' | 'agent' | 'operator' | 'status' | 'provider'
/** One kind, or several: what the caller presents picks one of them, and nothing picks `public` where that is among them. */
export type Access = AccessKind | readonly [AccessKind, ...AccessKind[]]
export type Host = 'base' | 'os' | 'both'

/**
 * How a repeat of a call is recognised: `read` never writes, `body` by the body's idempotency key, `natural` by named fields.
 * An `effect` is its own record: a repeat finds what the first one wrote, so nothing is kept of the call.
 * A body without a key takes the `Idempotency-Key` header's, else the nonce of its wallet proof, else each call is one by itself.
 * `fingerprint` gives what must be equal under one key where that is not the whole input, such as `1.0` and `1.00`.
 */
export type Idempotency<Input> =
  | { readonly kind: 'read' }
  | { readonly kind: 'effect' }
  | {
      readonly kind: 'body'
      readonly key: (input: Input) => string | undefined
      readonly fingerprint?: (input: Input) => unknown
    }
  | { readonly kind: 'natural'; readonly key: (input: Input) => string }

/**
 * What `handle` gives back: a body of the output schema, and a status where the operation has several. Without a body the
 * effect has stored its answer with the call. A 202 whose effect has used the call's grant says so: its lease holds nobody up.
 */
export type Reply<Output> = {
  readonly status?: number
  readonly body?: Output
  readonly grantUsed?: true
  /** Of a 202, which is worked out again each time. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A file that an answer can be had as. */
export type Archive = { readonly name: string; readonly texts: Readonly<Record<string, string>> }

/** One operation, declared once: routes, OpenAPI, client and checks are derived from this and nothing else. */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly id: string
  readonly summary: string
  readonly http: {
    readonly method: 'GET' | 'POST' | 'PUT'
    readonly path: string
    readonly aliases?: readonly string[]
    readonly host: Host
  }
  /** The constant `mode` in the body, where several operations share a path. */
  readonly mode?: string
  /** Takes the bodies that name no mode, where several operations share a path. */
  readonly defaultMode?: true
  /** MCP tool name. */
  readonly tool?: string
  readonly access: Access
  /** What an agent's credential needs for it: all of these scopes, and the rails that the input names beside those of the ids in it. */
  readonly needs?: {
    readonly scopes: readonly [Scope, ...Scope[]]
    readonly rail?: (input: z.output<Input>) => string | readonly string[] | undefined
  }
  /**
   * Whose status tokens are taken, in the path's `{token}` or else in `X-Status-Token`. `signed` asks for `X-Agent-Signature` as
   * well: a token alone only reads. An order without an agent has no key that could sign, so its token is enough.
   */
  readonly statusToken?: { readonly prefixes: readonly TokenPrefix[]; readonly signed: boolean }
  /** The key in its input that may sign for a repeat (`X-Agent-Signature` without a token), which then gets the first answer. */
  readonly recalledBy?: (input: z.output<Input>) => Readonly<Record<string, unknown>>
  /** A public operation that judges a presented credential instead of refusing it. */
  readonly examines?: boolean
  /** Atomic units of the asset for one call; null is free of charge. */
  readonly price: bigint | null
  /** An operation without a price of its own whose calls may carry the payment for what they begin, as x402 has it. */
  readonly carriesPayment?: true
  /** `after`: handle, then settle, answer withheld until settled. `before`: precondition, settle, then handle. */
  readonly charge: 'after' | 'before'
  /** What a new call uses of the daily quotas, besides the bytes of its body. */
  readonly uses?: (input: z.output<Input>) => Uses
  readonly limits?: { readonly bodyBytes?: number; readonly addressPerMinute?: number }
  /** The body is handed on as it comes, in `context.sent`, and the input stands in path and query alone. */
  readonly stream?: { readonly mediaTypes: readonly [string, ...string[]]; readonly bytesMax: number }
  /** Success statuses, the usual one first. Only a 2xx other than 202 is final. */
  readonly status: readonly [number, ...number[]]
  /** The codes special to this operation; the standing ones follow from access, price and method. */
  readonly errors: readonly ErrorCode[]
  readonly idempotency: Idempotency<z.output<Input>>
  /** A workflow's step reads the input from the call's row; it stands there until the call is answered. */
  readonly keepsInput?: boolean
  /** The same, with the wallet proof of the call: its step verifies it again. */
  readonly keepsProof?: boolean
  /** Liveness and readiness are asked by machines and answer without Postgres. */
  readonly unlimited?: boolean
  /** Discovery documents may be cached by anyone for five minutes. */
  readonly cacheable?: boolean
  readonly input: Input
  readonly output: Output
  /** The files that a 200 also is, as a zip for who asks for `application/zip` in `Accept`. */
  readonly asFiles?: (body: z.output<Output>) => Archive
  /** Refuses who is known and may still not do this, before a repeat gets the stored answer. */
  readonly authorize?: (input: z.output<Input>, context: Context) => Promise<void>
  /** Adds to a stored answer what is derived anew for each caller and stored nowhere, such as a token. */
  readonly reveal?: (
    answer: Record<string, unknown>,
    context: Context,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>
  /** Refuses before anything is begun, of a call that pays also what its effect would refuse; only for `charge: 'before'`. */
  readonly precondition?: (input: z.output<Input>, context: Context, paid: boolean) => Promise<void>
  readonly handle: (input: z.output<Input>, context: Context) => Promise<Reply<z.output<Output>>>
  /** For a read: the body once it differs from the one that was read, or as it is when the time is up. Asked for with `Prefer: wait`. */
  readonly next?: (
    input: z.output<Input>,
    context: Context,
    waits: { readonly read: z.output<Output>; readonly ms: number },
  ) => Promise<z.output<Output>>
}

/** Whether a call may carry a payment of x402. */
export const takesPayment = ({ price, carriesPayment }: Pick<AnyOperation, 'price' | 'carriesPayment'>): boolean =>
  price !== null || carriesPayment === true

/** Whether a call needs no row of its own: it costs nothing, and a repeat does no harm. */
export function isPlain({ idempotency, price }: Pick<AnyOperation, 'idempotency' | 'price'>): boolean {
  return price === null && (idempotency.kind === 'read' || idempotency.kind === 'effect')
}

/** The ways in which an operation may be called, the first of which refuses who presents nothing. */
export function waysOf({ access }: Pick<Operation, 'access'>): readonly [AccessKind, ...AccessKind[]] {
  return typeof access === 'string' ? [access] : access
}

/** Declares an operation with its input and output types tied together, and its id kept as a literal for the typed client. */
export function operation<const Id extends string, Input extends z.ZodType, Output extends z.ZodType>(
  declared: Operation<Input, Output> & { readonly id: Id },
): Operation<Input, Output> & { readonly id: Id } {
  return declared
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds operations of every input and output; variance leaves no narrower type.
export type AnyOperation = Operation<any, any>
