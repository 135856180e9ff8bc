import { z } from 'zod'

/** What a call costs: nothing, the total of its quote, or atomic units of the asset. */
export const Price = z
  .union([
    z.null(),
    z.literal('quote'),
    z.strictObject({ atomic: z.string(), decimals: z.literal(6) }),
  ])
  .meta({ description: 'null is free; quote is the total of the quote that the call names.' })

export const AccessKind = z.enum(['public', 'wallet', 'agent', 'operator', 'status', 'provider'])

const Annotations = z.strictObject({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
})

/** A tool without its schemas, which `tools/list` has. */
export const ToolSummary = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  operation_id: z.string(),
  access: z.array(AccessKind).meta({ description: 'One of these is enough.' }),
  scopes: z.array(z.string()),
  price: Price,
  annotations: Annotations,
  reference: z.url().meta({ description: 'The page of the operation for people.' }),
})

/** GET /.well-known/mcp.json */
export const McpDescriptor = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    version: z.string(),
    description: z.string(),
    endpoint: z.url(),
    aliases: z.array(z.url()),
    transport: z.literal('streamable-http'),
    methods: z.array(z.string()),
    extensions: z
      .array(z.string())
      .meta({ description: 'For clients of the newest version that declare them.' }),
    protocol_versions: z.array(z.string()).meta({ description: 'Newest first.' }),
    authentication: z.array(
      z.strictObject({ kind: AccessKind, header: z.string(), tools: z.array(z.string()) }),
    ),
    tools: z.array(ToolSummary),
    policy_rules: z.array(z.string()),
    links: z.record(z.string(), z.url()),
  })
  .meta({ id: 'McpDescriptor' })
