import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { verifies } from '../../../verifies.ts'

verifies(
  'pipeline.canonical-json',
  'the sample of RFC 8785 §3.2.2 gives the octets of §3.2.4',
  () => {
    const sample = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    const octets = `
    7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72
    73 22 3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32
    2c 31 65 2d 32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c
    5c 5c 5c 22 2f 22 7d`
    expect(Buffer.from(canonicalJson(sample)).toString('hex')).toBe(octets.replace(/\s/g, ''))
  },
)

verifies(
  'pipeline.canonical-json',
  'property names sort by UTF-16 code units as in RFC 8785 §3.2.3',
  () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    const order = [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]
    const text = canonicalJson(sample)
    expect(
      [...order].sort((left, right) => text.indexOf(`"${left}"`) - text.indexOf(`"${right}"`)),
    ).toEqual(order)
  },
)

verifies('pipeline.canonical-json', 'numbers are written as in RFC 8785 appendix B', () => {
  const known: [hex: string, text: string][] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555555', '333333333.3333333'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ]
  for (const [hex, text] of known)
    expect(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE())).toBe(text)
})

verifies('pipeline.canonical-json', 'what JSON cannot hold is refused', () => {
  const wrong = [
    undefined,
    () => 1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    '\ud800',
    { a: '\udc00' },
    { '\ud800': 1 },
    '\\\ud800',
  ]
  for (const value of wrong) expect(() => canonicalJson(value), String(value)).toThrow()
  for (const fine of ['\ud83d\ude00', '\\ud800', '\\\\ud800'])
    expect(JSON.parse(canonicalJson(fine))).toBe(fine)
})

verifies(
  'pipeline.canonical-json',
  'the text is a fixed point, and the order of keys does not matter',
  () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
        expect(canonicalJson(reversed(value))).toBe(text)
      }),
    )
  },
)

verifies(
  'pipeline.canonical-json',
  'a digest is the SHA-256 of the canonical text in lowercase hex',
  () => {
    const expected = createHash('sha256').update('{"a":1,"b":"\u20ac"}').digest('hex')
    expect(digestOf({ b: '€', a: 1 })).toBe(expected)
    expect(sha256Hex('{"a":1,"b":"€"}')).toBe(expected)
  },
)

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  )
}
