import type { CallIdentity } from '../../activities/store/grants.ts'
import type { Caller, CallRequest } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import type { RoadDeps } from '../road.ts'

/** One call on its way through the price gate. */
export type Run = {
  readonly operation: AnyOperation
  readonly input: unknown
  readonly caller: Caller
  readonly call: CallIdentity
  readonly request: CallRequest
  readonly deps: RoadDeps
  /** Names this attempt in the call's lease. */
  readonly holder: string
}
