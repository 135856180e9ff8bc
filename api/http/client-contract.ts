import type { z } from 'zod'
import type { HttpMethod } from '../http-method.ts'
import { type AccessKind, type AnyOperation, type Host, isPlain, waysOf } from '../operation.ts'
import { operations } from '../operations/index.ts'

type Operations = (typeof operations)[number]

/** Ids of the operations that a client can call. */
export type OperationId = Operations['id']
type OperationOf<Id extends OperationId> = Extract<Operations, { id: Id }>
export type InputOf<Id extends OperationId> = z.input<OperationOf<Id>['input']>
export type OutputOf<Id extends OperationId> = z.output<OperationOf<Id>['output']>

/** What a client has to know of an operation in order to call it. */
export type Callable = {
  readonly method: HttpMethod
  readonly path: string
  readonly host: Host
  /** The ways in which it may be called, the preferred one first. */
  readonly ways: readonly [AccessKind, ...AccessKind[]]
  /** It judges a presented credential instead of refusing it. */
  readonly examines: boolean
  /** The body is sent as it is; the input goes into path and query. */
  readonly streams: boolean
  /** A status token needs the signature of the agent's registered key with it. */
  readonly signed: boolean
  /** The body takes an idempotency key; without one the header `Idempotency-Key` names it. */
  readonly keyed: boolean
  /** The call is kept, so that its caller is known by a secret where it presents no credential. */
  readonly keeps: boolean
  /** The key in its input signs for a repeat. */
  readonly recalls: boolean
}

/** Every operation by its id. The client package replaces this module by what it holds when the package is built. */
export const callables = Object.fromEntries(
  operations.map((operation) => [operation.id, callableOf(operation)]),
) as unknown as Readonly<Record<OperationId, Callable>>

function callableOf(operation: AnyOperation): Callable {
  const { http, examines = false, stream, statusToken, idempotency, input } = operation
  return {
    method: http.method,
    path: http.path,
    host: http.host,
    ways: waysOf(operation),
    examines,
    streams: stream !== undefined,
    signed: statusToken?.signed ?? false,
    keyed: idempotency.kind === 'body' && 'idempotency_key' in (input.shape ?? {}),
    keeps: !isPlain(operation),
    recalls: operation.recalledBy !== undefined,
  }
}
