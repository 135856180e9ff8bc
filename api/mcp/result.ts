import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallAnswer } from '../context.ts'
import type { Tool } from './tools.ts'

/** The answer of a call as the result of its tool: the same object as structured content and as text. */
export function resultOf({ operation, entry }: Tool, answer: CallAnswer): CallToolResult {
  const { status, headers } = answer
  const isError = status >= 400 && !operation.status.includes(status)
  const body = answer.body as Record<string, unknown>
  const object = isError && 'accepts' in body ? paymentRequired(entry.name, body) : body
  const paid = headers['PAYMENT-RESPONSE']
  return {
    content: [{ type: 'text', text: JSON.stringify(object) }],
    structuredContent: object,
    ...(isError ? { isError } : {}),
    ...(typeof paid === 'string' ? { _meta: { 'x402/payment-response': decoded(paid) } } : {}),
  }
}

/** The problem, which has an x402 offer in it, with what else x402 names; its resource is the tool. */
function paymentRequired(name: string, problem: Record<string, unknown>) {
  const { resource, detail } = problem
  return {
    ...problem,
    error: detail,
    resource: { ...(resource as object), url: `mcp://tool/${name}` },
  }
}

const decoded = (header: string): unknown =>
  JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
