import type { CallIdentity } from '../../activities/store/calls/grants.ts'
import type { Caller, CallRequest } from '../context.ts'
import type { AccessKind, AnyOperation } from '../operation.ts'

/** A call whose body was read as JSON; `value` is its body or query as sent. */
export type ReadCall = {
  readonly operation: AnyOperation
  readonly request: CallRequest
  readonly value: unknown
}

/** What a call proved by one way of access before its JSON is read; the operation decides whether that is enough. */
export type Proven = {
  readonly way: AccessKind
  /** Whether the caller is anyone: it has proven nothing, or has a new wallet or the token of anonymous work, which every caller can get. */
  readonly isAnyone: boolean
  /** The wallet proof whose nonce the call uses up. */
  readonly proof?: CallIdentity['proof']
  /** The caller of an operation; checks what was signed over the body, and throws 401, 403, 404 and 429. */
  readonly callerOf: (call: ReadCall) => Caller | Promise<Caller>
}

/**
 * Checks one way of access by one lookup or one signature check, before the body is read as JSON; throws 401, 404 and 429. The operations
 * are those of one path and method.
 */
export type Method<Needs> = (
  call: { readonly operations: readonly AnyOperation[]; readonly request: CallRequest },
  needs: Needs,
) => Promise<Proven>
