import fc from 'fast-check'
import { expect } from 'vitest'
import { formatUsdc, parseUsdc } from '#domain/core/money.ts'
import { verifies } from '../../../verifies.ts'

verifies(
  'payout.money.exact',
  'known amounts become atomic units and print in their shortest form',
  () => {
    const known: [text: string, atomic: bigint, shortest: string][] = [
      ['0', 0n, '0'],
      ['0.000001', 1n, '0.000001'],
      ['1', 1_000_000n, '1'],
      ['1.0', 1_000_000n, '1'],
      ['1.00', 1_000_000n, '1'],
      ['1.25', 1_250_000n, '1.25'],
      ['12.5', 12_500_000n, '12.5'],
      ['25', 25_000_000n, '25'],
      ['0.1', 100_000n, '0.1'],
      ['999999999.999999', 999_999_999_999_999n, '999999999.999999'],
    ]
    for (const [text, atomic, shortest] of known) {
      expect(parseUsdc(text)).toBe(atomic)
      expect(formatUsdc(atomic)).toBe(shortest)
    }
  },
)

verifies(
  'payout.money.exact',
  'every atomic amount survives printing and parsing with zeros',
  () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), fc.nat(6), (atomic, zeros) => {
        const text = formatUsdc(atomic)
        const [, fraction = ''] = text.split('.')
        const longer =
          fraction === '' && zeros > 0
            ? `${text}.${'0'.repeat(zeros)}`
            : text + '0'.repeat(fraction === '' ? 0 : Math.min(zeros, 6 - fraction.length))
        expect(parseUsdc(text)).toBe(atomic)
        expect(parseUsdc(longer)).toBe(atomic)
        expect(text).not.toMatch(/\.$|\..*0$/)
      }),
    )
  },
)

verifies(
  'payout.money.exact',
  'an amount equals its value times a million in integer arithmetic',
  () => {
    fc.assert(
      fc.property(
        fc.nat(999_999_999),
        fc.integer({ min: 0, max: 999_999 }),
        (whole, millionths) => {
          const text = `${whole}.${String(millionths).padStart(6, '0')}`
          expect(parseUsdc(text)).toBe(BigInt(whole) * 1_000_000n + BigInt(millionths))
        },
      ),
    )
  },
)

verifies('payout.money.exact', 'other texts are no amounts', () => {
  const wrong = [
    '',
    '.',
    '1.',
    '.5',
    '01',
    '00',
    '-1',
    '+1',
    '1e6',
    '1,5',
    ' 1',
    '1 ',
    '1\n',
    '1.1234567',
    '1234567890',
    '0x1',
    '１',
    'NaN',
    'Infinity',
  ]
  for (const text of wrong) expect(() => parseUsdc(text), JSON.stringify(text)).toThrow(RangeError)
})
