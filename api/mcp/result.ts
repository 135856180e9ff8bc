import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallAnswer } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import { MPP_CREDENTIAL } from './request.ts'
import type { ToolCall } from './toolbox.ts'
import type { Tool } from './tools.ts'

/** The answer of a call as the result of its tool: the same object as structured content and as text. */
export function resultOf(
  { operation, entry }: Tool,
  answer: CallAnswer,
  sent: ToolCall['meta'],
): CallToolResult {
  const isError = isRefused(operation, answer)
  const body = answer.body as Record<string, unknown>
  const object = isError && 'accepts' in body ? paymentRequired(entry.name, body) : body
  const _meta = { ...challengesOf(body), ...paymentMeta(answer, sent) }
  return {
    ...objectResult(object, { isError }),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  }
}

/** The challenges of MPP in a refusal that asks for a payment. */
const challengesOf = ({ payment_challenges: challenges }: Record<string, unknown>) =>
  challenges === undefined
    ? {}
    : { 'org.paymentauth/payment-required': { httpStatus: 402, challenges } }

/** The settlement of the call: as x402 has it, and for a credential of MPP as its receipt. */
function paymentMeta({ headers }: CallAnswer, { [MPP_CREDENTIAL]: credential }: ToolCall['meta']) {
  const { 'PAYMENT-RESPONSE': paid, 'Payment-Receipt': receipt } = headers
  if (typeof paid !== 'string' || typeof receipt !== 'string') return {}
  const challengeId = Object(Object(credential).challenge).id
  return {
    'x402/payment-response': decoded(paid),
    ...(credential === undefined
      ? {}
      : { 'org.paymentauth/receipt': { ...decoded(receipt), challengeId } }),
  }
}

/** Whether an answer is the refusal of a call; some operations have a status over 399 as their success. */
export const isRefused = (
  { status: successes }: Pick<AnyOperation, 'status'>,
  { status }: CallAnswer,
): boolean => status >= 400 && !successes.includes(status)

/** An object as a result, as structured content and as text. */
export const objectResult = (
  object: Record<string, unknown>,
  { isError }: { isError: boolean },
): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(object) }],
  structuredContent: object,
  ...(isError ? { isError } : {}),
})

/** The problem, which has an x402 offer in it, with what else x402 names; its resource is the tool. */
function paymentRequired(name: string, problem: Record<string, unknown>) {
  const { resource, detail } = problem
  return {
    ...problem,
    error: detail,
    resource: { ...(resource as object), url: `mcp://tool/${name}` },
  }
}

const decoded = (header: string): object =>
  JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
