import fc from 'fast-check'
import { expect } from 'vitest'
import { pointerOf } from '#domain/core/json-pointer.ts'
import {
  PatchError,
  type PatchOperation,
  patched,
} from '../../../../api/services/tasks/json-patch.ts'
import { verifies } from '../../../verifies.ts'

const misfit = (document: unknown, ...operations: PatchOperation[]) => {
  try {
    patched(document, operations)
  } catch (error) {
    if (error instanceof PatchError) return [error.index, error.message]
    throw error
  }
  return undefined
}

// Appendix A of RFC 6902, for the operations that are supported.
verifies('recovery.patch', 'the examples of RFC 6902 give their results', () => {
  const cases: [unknown, PatchOperation, unknown][] = [
    [{ foo: 'bar' }, { op: 'add', path: '/baz', value: 'qux' }, { baz: 'qux', foo: 'bar' }],
    [
      { foo: ['bar', 'baz'] },
      { op: 'add', path: '/foo/1', value: 'qux' },
      { foo: ['bar', 'qux', 'baz'] },
    ],
    [{ baz: 'qux', foo: 'bar' }, { op: 'remove', path: '/baz' }, { foo: 'bar' }],
    [{ foo: ['bar', 'qux', 'baz'] }, { op: 'remove', path: '/foo/1' }, { foo: ['bar', 'baz'] }],
    [{ baz: 'qux' }, { op: 'replace', path: '/baz', value: 'boo' }, { baz: 'boo' }],
    [{ foo: ['a', 2] }, { op: 'test', path: '/foo/1', value: 2 }, { foo: ['a', 2] }],
    [
      { foo: 'bar' },
      { op: 'add', path: '/child', value: { grand: {} } },
      { foo: 'bar', child: { grand: {} } },
    ],
    [
      { '/': 9, '~1': 10 },
      { op: 'test', path: '/~01', value: 10 },
      { '/': 9, '~1': 10 },
    ],
    [{ foo: ['bar'] }, { op: 'add', path: '/foo/-', value: ['abc'] }, { foo: ['bar', ['abc']] }],
    [{ foo: 1 }, { op: 'replace', path: '', value: [2] }, [2]],
  ]
  for (const [document, operation, result] of cases) {
    const before = structuredClone(document)
    expect(patched(document, [operation])).toEqual(result)
    expect(document).toEqual(before)
  }
})

verifies('recovery.patch', 'an operation that does not fit is named and changes nothing', () => {
  const document = { foo: ['bar'], baz: 'qux' }
  const add = (path: string, value: unknown = 1) => ({ op: 'add', path, value }) as const
  const cases: [PatchOperation, string][] = [
    [add('/baz/bat'), 'there is no /baz/bat'],
    [add('/no/where'), 'there is no /no/where'],
    [add('/foo/2'), 'there is no /foo/2'],
    [add('/foo/01'), 'there is no /foo/01'],
    [add('foo'), 'path is not a JSON Pointer'],
    [add('/~2'), 'path is not a JSON Pointer'],
    [{ op: 'remove', path: '/foo/-' }, 'there is no /foo/-'],
    [{ op: 'replace', path: '/toString', value: 1 }, 'there is no /toString'],
    [{ op: 'test', path: '/baz', value: 'other' }, '/baz has another value'],
    [add('/__proto__/polluted'), 'there is no /__proto__/polluted'],
    [add('/__proto__', { polluted: 1 }), 'there is no /__proto__'],
    [add('/constructor/prototype/polluted'), 'there is no /constructor/prototype/polluted'],
  ]
  for (const [operation, message] of cases)
    expect(misfit(document, add('/new'), operation)).toEqual([1, message])
  expect(document).toEqual({ foo: ['bar'], baz: 'qux' })
  expect(Object.prototype).not.toHaveProperty('polluted')
})

verifies('recovery.patch', 'what is added is found, and removed leaves the document', () => {
  const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)))
  const name = fc.string({ maxLength: 6 }).filter((text) => text !== '__proto__')
  const object = fc.dictionary(name, json, { maxKeys: 5, noNullPrototype: true })
  fc.assert(
    fc.property(object, name, json, (document, member, value) => {
      const path = pointerOf([member])
      const added = patched(document, [
        { op: 'add', path, value },
        { op: 'test', path, value },
      ]) as object
      expect(Reflect.get(added, member)).toEqual(value)
      if (Object.hasOwn(document, member)) return
      expect(patched(added, [{ op: 'remove', path }])).toEqual(document)
    }),
  )
})

verifies('recovery.patch', 'no operation fails in another way', () => {
  const path = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc
      .array(fc.constantFrom('', 'a', '0', '1', '-', '__proto__', 'length', 'constructor'))
      .map(pointerOf),
  )
  const operation = fc.oneof(
    fc.record({
      op: fc.constantFrom('add' as const, 'replace' as const, 'test' as const),
      path,
      value: fc.jsonValue(),
    }),
    fc.record({ op: fc.constant('remove' as const), path }),
  )
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(operation, { maxLength: 6 }), (document, operations) => {
      misfit(document, ...operations)
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
  )
})
