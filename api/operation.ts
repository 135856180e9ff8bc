import type { z } from 'zod'
import type { ErrorCode } from '../workflows/domain/errors.ts'
import type { Context } from './context.ts'

export type Access = 'public' | 'wallet' | 'operator'
export type Host = 'base' | 'os' | 'both'

/**
 * How a repeat of a call is recognised: `read` never writes, `body` by the body's idempotency key, `natural` by named fields.
 * `fingerprint` gives what must be equal under one key where that is not the whole input, such as `1.0` and `1.00`.
 */
export type Idempotency<Input> =
  | { readonly kind: 'read' }
  | { readonly kind: 'body'; readonly key: (input: Input) => string; readonly fingerprint?: (input: Input) => unknown }
  | { readonly kind: 'natural'; readonly key: (input: Input) => string }

/**
 * What `handle` gives back: a body of the output schema, and a status where the operation has several. Without a body the
 * effect has stored its answer with the call.
 */
export type Reply<Output> = { readonly status?: number; readonly body?: Output }

/** One operation, declared once: routes, OpenAPI, client and checks are derived from this and nothing else. */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly id: string
  readonly summary: string
  readonly http: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly aliases?: readonly string[]
    readonly host: Host
  }
  /** The constant `mode` in the body, where several operations share a path. */
  readonly mode?: string
  /** MCP tool name. */
  readonly tool?: string
  readonly access: Access
  /** Atomic units of the asset for one call; null is free of charge. */
  readonly price: bigint | null
  /** `after`: handle, then settle, answer withheld until settled. `before`: precondition, settle, then handle. */
  readonly charge: 'after' | 'before'
  readonly limits?: { readonly bodyBytes?: number; readonly addressPerMinute?: number }
  /** Success statuses, the usual one first. Only a 2xx other than 202 is final. */
  readonly status: readonly [number, ...number[]]
  /** The codes special to this operation; the standing ones follow from access, price and method. */
  readonly errors: readonly ErrorCode[]
  readonly idempotency: Idempotency<z.output<Input>>
  /** A workflow's step reads the input from the call's row; it stands there until the call is answered. */
  readonly keepsInput?: boolean
  /** Liveness and readiness are asked by machines and answer without Postgres. */
  readonly unlimited?: boolean
  /** Discovery documents may be cached by anyone for five minutes. */
  readonly cacheable?: boolean
  readonly input: Input
  readonly output: Output
  /** Refuses before anything is begun, of a call that pays also what its effect would refuse; only for `charge: 'before'`. */
  readonly precondition?: (input: z.output<Input>, context: Context, paid: boolean) => Promise<void>
  readonly handle: (input: z.output<Input>, context: Context) => Promise<Reply<z.output<Output>>>
}

/** Declares an operation with its input and output types tied together, and its id kept as a literal for the typed client. */
export function operation<const Id extends string, Input extends z.ZodType, Output extends z.ZodType>(
  declared: Operation<Input, Output> & { readonly id: Id },
): Operation<Input, Output> & { readonly id: Id } {
  return declared
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds operations of every input and output; variance leaves no narrower type.
export type AnyOperation = Operation<any, any>
