import type { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { printedSequences } from '#domain/production/sequences.ts'
import { commonErrors } from '../calls/problem.ts'
import { INTERFACE_VERSION } from '../common-headers.ts'
import type { HostUrls } from '../http/openapi.ts'
import { credentialHeaders, mcpDescriptor, priceOf } from '../mcp/descriptor.ts'
import { type AnyOperation, waysOf } from '../operation.ts'
import { type AgentTools, paymentProtocols } from '../shapes/agent-tools.ts'
import type { SchemaEntry } from '../shapes/documents.ts'

/** Every tool and every operation of both hosts, as the registry declares them. */
export function agentTools(
  registry: readonly AnyOperation[],
  { baseUrl, osUrl }: HostUrls,
  schemas: SchemaEntry[],
): z.output<typeof AgentTools> {
  const { name, endpoint, tools } = mcpDescriptor(registry, baseUrl)
  return {
    name,
    version: INTERFACE_VERSION,
    base_url: baseUrl,
    os_url: osUrl,
    mcp: { endpoint, descriptor: `${baseUrl}/.well-known/mcp.json` },
    openapi: `${baseUrl}/openapi.json`,
    auth_kinds: [
      { kind: 'public', header: null },
      ...(Object.keys(credentialHeaders) as (keyof typeof credentialHeaders)[]).map((kind) => ({
        kind,
        header: credentialHeaders[kind],
      })),
    ],
    payment_protocols: paymentProtocols,
    tools,
    operations: registry.map(printed),
    sequences: printedSequences(),
    policy_rules: [...policyRules],
    schemas,
  }
}

function printed(operation: AnyOperation): z.output<typeof AgentTools>['operations'][number] {
  const { id, summary, http, mode, needs, status, idempotency, errors, tool } = operation
  const { method, path, aliases = [], host } = http
  return {
    operation_id: id,
    summary,
    method,
    path,
    aliases: [...aliases],
    mode: mode ?? null,
    host,
    access: [...waysOf(operation)],
    scopes: [...(needs?.scopes ?? [])],
    price: priceOf(operation),
    status: [...status],
    idempotency: idempotency.kind,
    errors: [...new Set([...commonErrors(operation), ...errors])].sort(),
    schemas: pointerOf(['paths', path, method.toLowerCase()]),
    tool: tool ?? null,
  }
}
