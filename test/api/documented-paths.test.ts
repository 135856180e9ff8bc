import { expect } from 'vitest'
import { endpointPaths } from '../../api/mcp-protocol.ts'
import type { AnyOperation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { documentedPaths, operatorPaths, osPaths } from '../support/documented-paths.ts'
import { verifies } from '../verifies.ts'

const mcpPaths: readonly string[] = endpointPaths
const registry: readonly AnyOperation[] = operations
const at = (path: string) =>
  registry.filter(({ http }) => http.path === path || http.aliases?.includes(path))
const isServed = (path: string) => mcpPaths.includes(path) || at(path).length > 0

/** Paths whose operations are not there yet. */
const pending: readonly string[] = []

verifies('conform.paths', 'each documented path is served, but for a list', () => {
  expect(new Set(documentedPaths).size).toBe(100)
  expect(documentedPaths.filter((path) => !isServed(path))).toEqual(pending)
})

verifies('conform.paths', 'a path has its documented host and access', () => {
  for (const path of documentedPaths) {
    for (const { id, http, access } of at(path)) {
      expect([id, http.host]).toEqual([id, osPaths.includes(path) ? 'os' : 'base'])
      if (operatorPaths.includes(path)) expect([id, access]).toEqual([id, 'operator'])
    }
  }
})
