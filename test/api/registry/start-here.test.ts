import { expect } from 'vitest'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { startHere } from '../../../api/registry/start-here.ts'
import { StartHere } from '../../../api/registry/start-here-shape.ts'
import { railOf } from '../../../workflows/domain/rails/index.ts'
import { type RailKey, railKeys } from '../../../workflows/domain/rails/rail.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
/** contractops is for discovery only. */
const sold = railKeys.filter((key) => key !== 'contractops')
const bodyOf = (rail: RailKey, operationId: string) =>
  startHere(registry, urls, rail).steps.find(({ operation_id }) => operation_id === operationId)
    ?.example_body

verifies('discovery.start-here', 'each rail that is sold gives bodies with its own input', () => {
  for (const rail of sold) {
    expect(() => StartHere.parse(startHere(registry, urls, rail)), rail).not.toThrow()
    expect(bodyOf(rail, 'agent-quote')).toMatchObject({ rail })
    expect(bodyOf(rail, 'self-serve-loop-submit')).toMatchObject({
      input: railOf(rail).sandboxInput,
    })
  }
})

verifies('discovery.start-here', 'a step names only members of its body and earlier steps', () => {
  const seen = new Set<string>()
  for (const { operation_id, example_body, replace } of startHere(registry, urls, 'tokenops')
    .steps) {
    for (const { place, name, from } of replace) {
      if (place === 'body') expect(Object.keys(example_body ?? {}), operation_id).toContain(name)
      if (from !== null) expect(seen, operation_id).toContain(from)
    }
    seen.add(operation_id)
  }
})

verifies('discovery.start-here', 'a registry without one of the operations is an error', () => {
  const others = registry.filter(({ id }) => id !== 'agent-quote')
  expect(() => startHere(others, urls, 'tokenops')).toThrow('there is no operation agent-quote')
})
