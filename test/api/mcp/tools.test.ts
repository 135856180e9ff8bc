import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { exampleOf } from '../../../api/examples/index.ts'
import { toolsOf } from '../../../api/mcp/tools.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { toolNames } from '../../../api/tool-names.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
const tools = toolsOf(registry)
const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Properties whose schema is a bare `true` or `false`, which some model providers refuse. */
function booleanProperties(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: Record<string, unknown> }
  const found = Object.entries(properties).filter(([, value]) => typeof value === 'boolean')
  return [...found.map(([name]) => name), ...Object.values(schema).flatMap(booleanProperties)]
}

verifies('mcp.tools', 'the tools are those that operations declare, in order', () => {
  const declared = new Set(registry.flatMap(({ tool }) => tool ?? []))
  expect(tools.map(({ entry }) => entry.name)).toEqual(
    toolNames.filter((name) => declared.has(name)),
  )
  expect(toolNames).toHaveLength(27)
  expect(toolsOf([...registry].reverse()).map(({ entry }) => entry)).toEqual(
    tools.map(({ entry }) => entry),
  )
})

verifies('mcp.tools', 'the example of each operation fits the schemas of its tool', () => {
  for (const { entry, operation } of tools) {
    const { mode: _mode, ...args } = exampleOf(operation).input
    const { inputSchema, outputSchema, name } = entry
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema.type, name).toBe('object')
      expect(schema, name).not.toHaveProperty('$ref')
      expect(booleanProperties(schema), name).toEqual([])
    }
    expect(inputSchema, name).toMatchObject({ additionalProperties: false })
    expect(inputSchema['properties'], name).not.toHaveProperty('mode')
    const takesInput = ajv.compile(inputSchema)
    expect(takesInput(args), `${name}: ${ajv.errorsText(takesInput.errors)}`).toBe(true)
    expect(takesInput({ ...args, unknown_member: 1 }), name).toBe(false)
    const takesOutput = ajv.compile(outputSchema)
    const answered = takesOutput(exampleOf(operation).output)
    expect(answered, `${name}: ${ajv.errorsText(takesOutput.errors)}`).toBe(true)
  }
})

verifies('mcp.schemas', 'schemas hold nothing that clients and models refuse', () => {
  for (const { entry } of tools) {
    const { name, inputSchema, outputSchema } = entry
    for (const combinator of ['oneOf', 'anyOf', 'allOf', 'not', 'if'])
      expect(inputSchema, name).not.toHaveProperty(combinator)
    const text = JSON.stringify([inputSchema, outputSchema])
    expect(text, name).not.toMatch(/"(prefixItems|propertyNames)":|"items":(true|false)/)
  }
  const said = (name: string) => tools.find(({ entry }) => entry.name === name)?.entry.description
  expect(said('find_services')).toContain('Give query or task, or both.')
  expect(said('inspect_service')).toContain('Give exactly one of service_id or candidate.')
  expect(said('verify_signature_by_version')).toContain('Give payload or payload_sha256, not both.')
})

verifies('mcp.tools', 'annotations say what a repeat does and what is taken away', () => {
  const hints = Object.fromEntries(tools.map(({ entry }) => [entry.name, entry.annotations]))
  const none = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
  expect(hints['get_run_status']).toEqual({ ...none, readOnlyHint: true, idempotentHint: true })
  expect(hints['quote_run']).toEqual({ ...none, idempotentHint: false })
  expect(hints['start_rail_run']).toEqual({ ...none, idempotentHint: true, openWorldHint: true })
  expect(hints['rotate_signing_credential']).toMatchObject({ destructiveHint: true })
})

verifies('mcp.descriptions', 'each description says access, price, and to keep the key', () => {
  for (const { entry, operation } of tools) {
    const { name, description } = entry
    expect(description, name).toContain(operation.summary)
    expect(description, name).toMatch(/Needs (no|the|a) /)
    expect(description, name).toMatch(/Costs|Free of charge/)
    expect(description, name).toContain('same idempotency_key')
  }
  const started = tools.find(({ entry }) => entry.name === 'start_rail_run')
  expect(started?.entry.description).toMatch(/get_run_status.+wait_ms/)
})
