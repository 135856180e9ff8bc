import type { Operations } from '../calls/call.ts'
import type { CallRequest } from '../context.ts'
import type { Sender } from '../http/sender.ts'
import type { ToolCall } from './toolbox.ts'
import type { Tool } from './tools.ts'

/** The call of a tool as the request that its operation gets over HTTP, so that proofs and signatures are the same. */
export function requestOf(
  tool: Tool,
  { args, meta }: Pick<ToolCall, 'args' | 'meta'>,
  sender: Sender,
): CallRequest {
  const { operation, keyInHeader, entry } = tool
  const { method, path } = operation.http
  const { idempotency_key: key, ...others } = args
  const lifted = keyInHeader && key !== undefined
  const input = {
    ...(operation.mode === undefined ? {} : { mode: operation.mode }),
    ...(lifted ? others : args),
  }
  return {
    ...sender,
    headers: {
      ...sender.headers,
      ...paymentOf(meta),
      ...(lifted ? { 'idempotency-key': String(key) } : {}),
    },
    tool: entry.name,
    method,
    path,
    params: {},
    ...(method === 'GET'
      ? { body: null, query: input }
      : { body: Buffer.from(JSON.stringify(input)), query: {} }),
  }
}

/** The operations of the tool's path. `mode` is no argument: one that a client sends cannot lead to another operation of them. */
export const groupOf = ({ group, operation }: Tool, args: ToolCall['args']): Operations =>
  'mode' in args ? [operation] : group

/** The payment of `_meta` as the header of x402 over HTTP. */
function paymentOf(meta: ToolCall['meta']): Record<string, string> {
  const payment = meta['x402/payment']
  if (payment === undefined) return {}
  return { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }
}
