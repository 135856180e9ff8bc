import type { Request, Response } from 'express'
import { clientAddress, isFromLoopback } from '../client-address.ts'
import type { CallRequest } from '../context.ts'

/** Who sends a call, and the ids of the request. */
export type Sender = Pick<
  CallRequest,
  'headers' | 'address' | 'requestId' | 'traceId' | 'isInsider' | 'overMcp'
>

/** Who may see the metrics and the details of the service: operators, and this machine where it is trusted. */
export type Insiders = {
  readonly trustsLoopback: boolean
  /** Whether these headers are an operator's. */
  readonly isOperator: (headers: CallRequest['headers']) => Promise<boolean>
}

export const isInsider = async (
  request: Request,
  { trustsLoopback, isOperator }: Insiders,
): Promise<boolean> =>
  (trustsLoopback && isFromLoopback(request)) || isOperator(onceOrList(request.headersDistinct))

/** What a request says of its sender, once `identify` has given it its ids. */
export function senderOf(request: Request, response: Response, insiders: Insiders): Sender {
  const headers = onceOrList(request.headersDistinct)
  const { requestId, traceId } = response.locals as { requestId: string; traceId: string }
  return {
    headers,
    address: clientAddress(request),
    requestId,
    traceId,
    isInsider: () => isInsider(request, insiders),
  }
}

/** Node joins or drops most doubled headers; a doubled credential has to be seen. */
function onceOrList(distinct: NodeJS.Dict<string[]>): CallRequest['headers'] {
  return Object.fromEntries(
    Object.entries(distinct).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  )
}
