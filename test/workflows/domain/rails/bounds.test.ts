import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { INPUT_CHARS_MAX } from '#domain/rails/input/fields.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { CAPABILITIES_MAX } from '#domain/rails/scout/index.ts'
import { assertReadable } from '../../../../api/services/inputs/asked-input.ts'
import { verifies } from '../../../verifies.ts'

const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const chars = (each: number) => 'x'.repeat(each)

const service = {
  name: 's',
  rail: null,
  protocols: [],
  price_usd: 1,
  origin: 'registry',
  state: 'available',
}

/** An input whose list holds `count` texts of `each` characters, and where the list stands. */
const lists: [RailKey, string, (count: number, each: number) => object, each: number][] = [
  [
    'diligenceops',
    '/input/evidence',
    (count, each) => ({
      questions: [{ id: 'q', text: 'q' }],
      evidence: times(count, (at) => ({ id: `e${at}`, title: 't', text: chars(each) })),
    }),
    1_000,
  ],
  [
    'diligenceops',
    '/input/questions',
    (count, each) => ({
      questions: times(count, (at) => ({ id: `q${at}`, text: chars(each) })),
      evidence: [{ id: 'e', title: 't', text: '' }],
    }),
    1_000,
  ],
  [
    'packetops',
    '/input/items',
    (count, each) => ({
      title: 't',
      required_sections: ['s'],
      items: times(count, (at) => ({ name: `n${at}`, section: 's', content: chars(each) })),
    }),
    10_000,
  ],
  [
    'scout',
    '/input/registry',
    (count, each) => ({
      task: 'find a service',
      registry: times(count, (at) => ({
        ...service,
        service_id: `s${at}`,
        summary: 's',
        capabilities: times(10, () => chars((each - 1) / 10)),
      })),
    }),
    2_001,
  ],
]

for (const [rail, pointer, inputOf, each] of lists)
  verifies(
    'isolation.bounds',
    `${rail}: ${pointer} accepts ${INPUT_CHARS_MAX} characters, no more`,
    () => {
      const most = Math.floor(INPUT_CHARS_MAX / each)
      expect(() => assertReadable(rail, 'pro', { ...inputOf(most, each) })).not.toThrow()
      const refused = (() => {
        try {
          assertReadable(rail, 'pro', { ...inputOf(most + 1, each) })
        } catch (error) {
          return error
        }
      })()
      expect(refused).toBeInstanceOf(DomainError)
      expect((refused as DomainError).refusal).toMatchObject({
        code: 'input_rejected',
        errors: [
          { pointer, message: `the texts have more than ${INPUT_CHARS_MAX} characters together` },
        ],
      })
    },
  )

verifies('isolation.bounds', 'scout: the capabilities of all services together are bounded', () => {
  const registryOf = (count: number) => ({
    task: 'find a service',
    registry: times(count, (at) => ({
      ...service,
      service_id: `s${at}`,
      summary: 's',
      capabilities: times(50, () => 'c'),
    })),
  })
  expect(() => assertReadable('scout', 'pro', registryOf(CAPABILITIES_MAX / 50))).not.toThrow()
  expect(() => assertReadable('scout', 'pro', registryOf(CAPABILITIES_MAX / 50 + 1))).toThrow(
    'the input has 1 fault',
  )
})
