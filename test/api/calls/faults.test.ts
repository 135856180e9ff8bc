import { expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { readInput } from '../../../api/calls/input.ts'
import { problemAnswer } from '../../../api/calls/problem.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

const context = { baseUrl: 'https://svc.example', requestId: 'req_1', traceId: '1f'.repeat(16) }
const create = operations.find(({ id }) => id === 'payout-create')!
const batch = operations.find(({ id }) => id === 'start-agent-run')!

function refusalOf(operation: typeof create, value: unknown) {
  try {
    readInput(operation, value)
  } catch (error) {
    if (error instanceof DomainError) return error.refusal
    throw error
  }
  throw new Error('the input was read')
}

const named = (count: number, name: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), index]))

verifies(
  'admission.faults-bounded',
  'however many faults a body has, at most 20 are listed in 8 KiB',
  () => {
    const bodies: Record<string, unknown> = {
      'unknown members': named(6_500, (index) => `member${index}`),
      'one long name': named(1, () => 'x'.repeat(60_000)),
      'long names': named(300, (index) => `${index}${'x'.repeat(190)}`),
      'names to escape': named(300, (index) => `${index}${'\u0001~/"'.repeat(40)}`),
      'names of three bytes': named(300, (index) => `${index}${'\u20ac'.repeat(190)}`),
      'no object': 'x',
    }
    for (const operation of [create, batch])
      for (const [name, body] of Object.entries(bodies)) {
        const refusal = refusalOf(operation, body)
        expect(refusal.errors?.length, name).toBeGreaterThan(0)
        expect(refusal.errors?.length, name).toBeLessThanOrEqual(20)
        const answer = JSON.stringify(problemAnswer(refusal, context).body)
        expect(Buffer.byteLength(answer), name).toBeLessThanOrEqual(8_192)
      }
  },
)

verifies('admission.faults-bounded', 'few faults are listed whole, by their pointers', () => {
  const { errors } = refusalOf(create, { 'a/b': 1, memo: 5, [`${'y'.repeat(300)}`]: 1 })
  expect(errors).toContainEqual({ pointer: '/a~1b', message: 'unknown property' })
  expect(errors).toContainEqual({
    pointer: '',
    message: 'in a member of a long name: unknown property',
  })
  expect(errors?.some(({ pointer }) => pointer === '/memo')).toBe(true)
})
