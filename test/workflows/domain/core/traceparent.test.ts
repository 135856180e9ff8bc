import fc from 'fast-check'
import { expect } from 'vitest'
import { parseTraceparent, traceparentOf } from '#domain/core/traceparent.ts'
import { verifies } from '../../../verifies.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const right = `00-${traceId}-${spanId}-01`
const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .filter((array) => array.some((byte) => byte !== 0))
    .map((array) => Buffer.from(array).toString('hex'))

verifies('trace.id', 'a well-formed traceparent is read, of later versions too', () => {
  expect(parseTraceparent(right)).toEqual({ traceId, spanId, flags: 1 })
  expect(parseTraceparent(`cc${right.slice(2)}-what-comes-later`)).toEqual({
    traceId,
    spanId,
    flags: 1,
  })
})

verifies('trace.id', 'every context that is written is read again', () => {
  const contexts = fc.record({ traceId: hex(16), spanId: hex(8), flags: fc.nat(255) })
  fc.assert(
    fc.property(contexts, (context) => {
      expect(parseTraceparent(traceparentOf(context))).toEqual(context)
    }),
  )
})

verifies('trace.id', 'what is not well-formed is no context', () => {
  const wrong = [
    '',
    right.toUpperCase(),
    `ff${right.slice(2)}`,
    `${right}-more`,
    `${right} `,
    `${right}, ${right}`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    right.slice(0, -1),
    right.replace('4', 'g'),
    `cc${right.slice(2)}-${'x'.repeat(100_000)}`,
    `00-${traceId}-${spanId}-01\r\nx: y`,
    [right],
    { traceparent: right },
    null,
  ]
  for (const text of wrong) expect(parseTraceparent(text), String(text)).toBeUndefined()
  fc.assert(fc.property(fc.string(), (text) => parseTraceparent(text) === undefined))
})
