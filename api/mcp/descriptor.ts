import type { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { INTERFACE_VERSION } from '../common-headers.ts'
import {
  CURRENT_VERSION,
  ENDPOINT,
  endpointPaths,
  legacyVersions,
  SERVER_NAME,
  taskMethods,
} from '../mcp-protocol.ts'
import { type AccessKind, type AnyOperation, waysOf } from '../operation.ts'
import type { McpDescriptor, ToolSummary } from '../shapes/mcp.ts'
import { TASKS_EXTENSION } from './tasks.ts'
import { type Tool, toolsOf } from './tools.ts'

/** What `/.well-known/mcp.json` says: where MCP is, in which versions, and what each tool needs and costs. */
export function mcpDescriptor(
  registry: readonly AnyOperation[],
  baseUrl: string,
): z.output<typeof McpDescriptor> {
  const tools = toolsOf(registry)
  return {
    name: SERVER_NAME,
    title: 'Agent Rails',
    version: INTERFACE_VERSION,
    description: 'Agents quote, pay for and run bounded work, and get a result with a receipt.',
    endpoint: `${baseUrl}${ENDPOINT}`,
    aliases: endpointPaths.filter((path) => path !== ENDPOINT).map((path) => baseUrl + path),
    transport: 'streamable-http',
    methods: [
      'initialize',
      'notifications/initialized',
      'ping',
      'tools/list',
      'tools/call',
      ...taskMethods,
    ],
    extensions: [TASKS_EXTENSION],
    protocol_versions: [CURRENT_VERSION, ...legacyVersions],
    authentication: authenticationOf(tools),
    tools: tools.map((tool) => summaryOf(tool, baseUrl)),
    policy_rules: [...policyRules],
    links: {
      openapi: `${baseUrl}/openapi.json`,
      reference: `${baseUrl}/docs`,
      schemas: `${baseUrl}/schemas`,
    },
  }
}

/** The header in which each kind of caller presents itself. */
export const credentialHeaders: Readonly<Record<Exclude<AccessKind, 'public'>, string>> = {
  agent: 'Authorization: Bearer ag_…',
  operator: 'Authorization: Bearer op_…',
  status: 'X-Status-Token',
  wallet: 'X-Service-Wallet-Proof',
  provider: 'Webhook-Signature',
}

function authenticationOf(tools: readonly Tool[]) {
  return (Object.keys(credentialHeaders) as (keyof typeof credentialHeaders)[]).flatMap((kind) => {
    const named = tools
      .filter(({ operation }) => waysOf(operation).includes(kind))
      .map(({ entry }) => entry.name)
    return named.length === 0 ? [] : [{ kind, header: credentialHeaders[kind], tools: named }]
  })
}

/** A tool without its schemas. */
function summaryOf({ entry, operation }: Tool, baseUrl: string): z.output<typeof ToolSummary> {
  const { name, title, description, annotations } = entry
  return {
    name,
    title,
    description,
    operation_id: operation.id,
    access: [...waysOf(operation)],
    scopes: [...(operation.needs?.scopes ?? [])],
    price: priceOf(operation),
    annotations,
    reference: `${baseUrl}/docs/${operation.id}`,
  }
}

/** What a call costs, as discovery says it. */
export function priceOf({
  price,
  carriesPayment,
}: AnyOperation): z.output<typeof ToolSummary>['price'] {
  if (carriesPayment === true) return 'quote'
  return price === null ? null : { atomic: String(price), decimals: 6 }
}
