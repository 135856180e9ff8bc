import { networkOf } from '../client-address.ts'
import type { Context } from '../context.ts'
import type { AnyOperation, Reply, ReplyBody } from '../operation.ts'
import type { AdmittedCall, CallExecution } from './call.ts'
import { carriedPayment } from './payment.ts'

/** Runs the operation's handler; `leads` says that no other attempt has begun the effect. */
export const handle = (call: CallExecution, leads = false): Promise<Reply<unknown>> =>
  call.operation.handle(call.input, contextOf(call, leads))

/** What the handler of a call with a row sees. */
export const contextOf = (call: CallExecution, leads: boolean): Context =>
  contextWith(call, call.identity.callId, leads)

/** What the handler of a call sees; the id is empty where the call has no row. */
export const contextWith = (call: AdmittedCall, callId: string, leads: boolean): Context => ({
  caller: call.caller,
  callId,
  leads,
  requestId: call.request.requestId,
  network: networkOf(call.request.address),
  sent: call.request,
  carriedPayment: () => carriedPayment(call, callId),
  ...call.deps.services,
})

/** The reply as a value; an operation without a row, or a read, cannot store its answer. */
export function bodyOf<Output>(
  { id }: Pick<AnyOperation, 'id'>,
  reply: Reply<Output>,
): ReplyBody<Output> {
  if ('answeredBy' in reply) throw new Error(`${id} returned no body`)
  return reply
}

/** The second check of every answer: members that the schema does not describe are not sent. */
export function checkOutput(operation: AnyOperation, body: unknown): Record<string, unknown> {
  const checked = operation.output.safeParse(body)
  if (!checked.success)
    throw new Error(
      `the answer of ${operation.id} does not fit its schema: ${checked.error.message}`,
    )
  return checked.data as Record<string, unknown>
}
