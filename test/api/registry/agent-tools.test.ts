import { expect } from 'vitest'
import { openapiDocument } from '../../../api/http/openapi.ts'
import { mcpDescriptor } from '../../../api/mcp/descriptor.ts'
import { toolsOf } from '../../../api/mcp/tools.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { agentTools } from '../../../api/registry/agent-tools.ts'
import { AgentTools } from '../../../api/shapes/agent-tools.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
const printed = agentTools(registry, urls, [])
const openapi = openapiDocument(registry, urls)

/** What stands at an RFC 6901 pointer. */
const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inner, part) => (inner as Record<string, unknown>)?.[part], openapi)

verifies('discovery.agent-tools', 'every operation is listed once, with its route', () => {
  expect(() => AgentTools.parse(printed)).not.toThrow()
  expect(printed.operations.map(({ operation_id }) => operation_id)).toEqual(
    registry.map(({ id }) => id),
  )
  for (const { path, method, operation_id } of printed.operations)
    expect(registry.find(({ id }) => id === operation_id)?.http).toMatchObject({ path, method })
})

verifies('discovery.agent-tools', 'each operation stands in the OpenAPI document', () => {
  for (const { schemas, operation_id, mode, errors, price, access } of printed.operations) {
    const found = at(schemas) as Record<string, unknown>
    expect(found, operation_id).toBeDefined()
    const modes = found['x-modes'] as Record<string, unknown>[] | undefined
    const marks = modes?.find(({ id }) => id === operation_id) ?? found
    expect(marks['x-access'], operation_id).toEqual(access.length === 1 ? access[0] : access)
    if (mode !== null) expect(marks['mode']).toBe(mode)
    if (price !== 'quote') expect(marks['x-price'], operation_id).toEqual(price)
    expect(errors, operation_id).toContain('invalid_request')
  }
})

verifies('discovery.agent-tools', 'the tools are those of tools/list and mcp.json', () => {
  const descriptor = mcpDescriptor(registry, urls.baseUrl)
  expect(printed.tools).toEqual(descriptor.tools)
  expect(descriptor.tools.map(({ name, description }) => ({ name, description }))).toEqual(
    toolsOf(registry).map(({ entry: { name, description } }) => ({ name, description })),
  )
  expect(descriptor.extensions).toEqual(['io.modelcontextprotocol/tasks'])
  expect(descriptor.protocol_versions).toEqual([
    '2026-07-28',
    '2025-11-25',
    '2025-06-18',
    '2025-03-26',
    '2024-11-05',
  ])
  const listed = printed.operations.flatMap(({ tool }) => tool ?? [])
  expect(descriptor.tools.map(({ name }) => name).sort()).toEqual(listed.sort())
})
