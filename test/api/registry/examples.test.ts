import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { z } from 'zod'
import { railOf } from '#domain/rails/index.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
/** What a schema says against a value; a value that it changes has a member that it does not know. */
function faultsOf(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value)
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return Object.keys(value as object).filter((name) => !(name in (parsed.data as object)))
}

verifies('reference.examples', 'the input of every example fits its operation', () => {
  for (const { id, input } of registry)
    expect(faultsOf(input, exampleOf({ id }).input), id).toEqual([])
})

verifies('reference.examples', 'the answer of every example fits its operation', () => {
  for (const { id, output } of registry)
    expect(faultsOf(output, exampleOf({ id }).output), id).toEqual([])
})

verifies('reference.examples', 'an operation that takes an input shows one', () => {
  const empty = registry.filter(
    ({ id, input }) =>
      Object.keys(input.shape ?? { some: true }).length > 0 &&
      Object.keys(exampleOf({ id }).input).length === 0,
  )
  expect(empty.map(({ id }) => id)).toEqual([])
})

verifies('reference.examples', 'the input of a run is one that its rail takes', () => {
  const runs = registry.flatMap(({ id }) => {
    const { input } = exampleOf({ id })
    const given = input['input'] as { profile?: unknown } | undefined
    return given?.profile === undefined ? [] : [{ id, input: given }]
  })
  expect(runs.length).toBeGreaterThan(3)
  for (const { id, input } of runs)
    expect(faultsOf(railOf('packetops').input, input), id).toEqual([])
})

verifies('reference.examples', 'an upload has the digest and the length that it says', () => {
  const upload = exampleOf({ id: 'input-upload' })
  const bytes = upload?.bytes ?? ''
  expect(upload?.input['sha256']).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(upload?.output['byte_length']).toBe(Buffer.byteLength(bytes))
})

verifies('reference.examples', 'one example differs from the next', () => {
  const bodies = registry
    .filter(({ http }) => http.method !== 'GET')
    .map(({ id, http }) => `${http.path} ${JSON.stringify(exampleOf({ id }).input)}`)
  expect(new Set(bodies).size).toBe(bodies.length)
})
