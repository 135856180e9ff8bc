import type { Request, Response } from 'express'
import type { CallRequest } from '../context.ts'
import { clientAddress, isFromLoopback } from './client-address.ts'

/** Who sends a call, and the ids of the request. */
export type Sender = Pick<
  CallRequest,
  'headers' | 'address' | 'requestId' | 'traceId' | 'isInsider' | 'overMcp'
>
type IsOperator = (headers: CallRequest['headers']) => Promise<boolean>

/** What a request says of its sender, once `identify` has given it its ids. */
export function senderOf(request: Request, response: Response, isOperator: IsOperator): Sender {
  const headers = onceOrList(request.headersDistinct)
  const { requestId, traceId } = response.locals as { requestId: string; traceId: string }
  return {
    headers,
    address: clientAddress(request),
    requestId,
    traceId,
    isInsider: async () => isFromLoopback(request) || isOperator(headers),
  }
}

/** Node joins or drops most doubled headers; a doubled credential has to be seen. */
export function onceOrList(distinct: NodeJS.Dict<string[]>): CallRequest['headers'] {
  return Object.fromEntries(
    Object.entries(distinct).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  )
}
