import type { CallIdentity } from '../../activities/store/calls/grants.ts'
import type { Proven } from '../auth/method.ts'
import type { CallAnswer, Caller, CallRequest } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import type { PipelineDeps } from './deps.ts'

/** The operations of one path and method; the `mode` of the body selects one. */
export type Operations = readonly [AnyOperation, ...AnyOperation[]]

/** The answer of a call; `operation` is absent where the call was refused before its mode was read. */
export type Executed = {
  readonly answer: CallAnswer
  readonly operation?: AnyOperation | undefined
}

/** A call as it arrives. */
export type ReceivedCall = {
  readonly operations: Operations
  readonly request: CallRequest
  readonly deps: PipelineDeps
}

/** A call whose operation is known, with what its caller proved without the body. */
export type IdentifiedCall = {
  readonly operation: AnyOperation
  readonly request: CallRequest
  readonly deps: PipelineDeps
  /** The JSON of the body, or the query. */
  readonly value: unknown
  readonly proven: Proven
}

/** A call whose caller is known. */
export type AuthenticatedCall = Omit<IdentifiedCall, 'proven'> & {
  readonly caller: Caller
  /** The wallet proof whose nonce the call uses up. */
  readonly proof: CallIdentity['proof']
}

/** A call that its caller may make, with an input that fits the schema. */
export type AdmittedCall = AuthenticatedCall & { readonly input: unknown }

/** A call that has a row, because its effect or its charge must happen once. */
export type CallExecution = AdmittedCall & {
  readonly identity: CallIdentity
  /** Names this attempt in the lease of the call. */
  readonly holder: string
}
