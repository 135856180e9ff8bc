import { z } from 'zod'
import { errorCodes } from '#domain/core/error-codes.ts'
import { httpMethods } from '../http-method.ts'
import { AccessKind, Price, ToolSummary } from './mcp.ts'

const OperationSummary = z.strictObject({
  operation_id: z.string(),
  summary: z.string(),
  method: z.enum(httpMethods),
  path: z.string(),
  aliases: z.array(z.string()),
  mode: z.string().nullable(),
  host: z.enum(['base', 'os', 'both']),
  access: z.array(AccessKind).meta({ description: 'One of these is enough.' }),
  scopes: z.array(z.string()),
  price: Price,
  status: z.array(z.int()).meta({ description: 'Of success, the usual one first.' }),
  idempotency: z.enum(['read', 'effect', 'body', 'natural']),
  errors: z.array(z.enum(Object.keys(errorCodes) as [string, ...string[]])),
  schemas: z.string().meta({
    description:
      'Where input and output stand: a JSON pointer (RFC 6901) into the OpenAPI document.',
  }),
  tool: z.string().nullable().meta({ description: 'The MCP tool that is the same call.' }),
})

const PaymentProtocol = z.strictObject({
  protocol: z.enum(['x402', 'mpp']),
  challenge_header: z.string().meta({ description: 'Of the 402.' }),
  credential_headers: z.array(z.string()).meta({
    description: 'Of the paid call. MPP takes the second one where the challenge names it.',
  }),
  receipt_header: z.string(),
})
/** How a call is paid by itself; a 402 offers both. */
export const paymentProtocols: z.output<typeof PaymentProtocol>[] = [
  {
    protocol: 'x402',
    challenge_header: 'PAYMENT-REQUIRED',
    credential_headers: ['PAYMENT-SIGNATURE'],
    receipt_header: 'PAYMENT-RESPONSE',
  },
  {
    protocol: 'mpp',
    challenge_header: 'WWW-Authenticate',
    credential_headers: ['Authorization', 'Payment-Authorization'],
    receipt_header: 'Payment-Receipt',
  },
]

/** What `/agent-tools.json` prints from the registry. */
export const AgentTools = z.strictObject({
  name: z.string(),
  version: z.string(),
  base_url: z.url(),
  os_url: z.url(),
  mcp: z.strictObject({ endpoint: z.url(), descriptor: z.url() }),
  openapi: z.url(),
  auth_kinds: z.array(z.strictObject({ kind: AccessKind, header: z.string().nullable() })),
  payment_protocols: z.array(PaymentProtocol),
  tools: z.array(ToolSummary),
  operations: z.array(OperationSummary),
  sequences: z.array(z.strictObject({ name: z.string(), steps: z.array(z.string()) })),
  policy_rules: z.array(z.string()),
  schemas: z.array(
    z.strictObject({ name: z.string(), version: z.string(), url: z.url(), sha256: z.string() }),
  ),
})
