import { credentialHeader } from '#domain/payments/mpp.ts'
import type { Operations } from '../calls/call.ts'
import type { CallRequest } from '../context.ts'
import type { Sender } from '../http/sender.ts'
import type { ToolCall } from './toolbox.ts'
import type { Tool } from './tools.ts'

/** Where MCP has the credential of MPP (draft-payment-transport-mcp). */
export const MPP_CREDENTIAL = 'org.paymentauth/credential'

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

/** The payments of `_meta` as the headers of x402 and MPP over HTTP. */
function paymentOf(meta: ToolCall['meta']): Record<string, string> {
  const { 'x402/payment': payment, [MPP_CREDENTIAL]: credential } = meta
  return {
    ...(payment === undefined
      ? {}
      : { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }),
    ...(credential === undefined ? {} : { 'payment-authorization': credentialHeader(credential) }),
  }
}
