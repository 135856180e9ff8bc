import { describe, expect, test } from 'vitest'
import { authorizePayout, createPayout, payoutStatus } from '../../api/operations/payouts.ts'
import { verifies } from '../verifies.ts'

const hex = (length: number) => 'a'.repeat(length)
const create = {
  recipient: `0x${hex(40)}`,
  amount_usdc: '1',
  idempotency_key: 'k',
  memo: 'm',
  rail_reference: 'r',
}
const authorize = {
  payout_id: `po_${hex(64)}`,
  idempotency_key: 'k',
  presentation: 'p',
  challenge_token: 'c',
  expires_at: 1,
  principal_signature: `0x${hex(130)}`,
}
const creates = (change: Record<string, unknown>) =>
  createPayout.input.safeParse({ ...create, ...change }).success
const authorizes = (change: Record<string, unknown>) =>
  authorizePayout.input.safeParse({ ...authorize, ...change }).success

describe('payout-create', () => {
  verifies('payout.create.schema', 'amounts have at most 9 integer and 6 fraction digits', () => {
    for (const amount_usdc of ['0', '0.1', '1', '999999999', '999999999.123456', '0.000001']) {
      expect(creates({ amount_usdc }), amount_usdc).toBe(true)
    }
    for (const amount_usdc of [
      '',
      '01',
      '1.',
      '.5',
      '-1',
      '+1',
      '1e3',
      '1,5',
      '1.1234567',
      '1000000000',
      ' 1',
      '1\n',
      1,
      null,
    ]) {
      expect(creates({ amount_usdc }), String(amount_usdc)).toBe(false)
    }
  })

  verifies('payout.create.schema', 'recipients are 0x and 40 hex', () => {
    expect(creates({ recipient: `0x${'aB'.repeat(20)}` })).toBe(true)
    for (const recipient of [
      hex(40),
      `0x${hex(39)}`,
      `0x${hex(41)}`,
      `0X${hex(40)}`,
      `0x${hex(39)}g`,
    ]) {
      expect(creates({ recipient }), recipient).toBe(false)
    }
  })

  verifies(
    'payout.create.schema',
    'idempotency keys are 1 to 128 of letters, digits, . _ : -',
    () => {
      for (const key of ['a', 'aZ0._:-', 'a'.repeat(128)])
        expect(creates({ idempotency_key: key })).toBe(true)
      for (const key of ['', 'a'.repeat(129), 'a b', 'ä', 'a/b'])
        expect(creates({ idempotency_key: key }), key).toBe(false)
    },
  )

  verifies('pipeline.text', 'lengths count code points', () => {
    expect(
      creates({ memo: '\u{1F4B8}'.repeat(1024), rail_reference: '\u{1F4B8}'.repeat(256) }),
    ).toBe(true)
    expect(creates({ memo: '\u{1F4B8}'.repeat(1025) })).toBe(false)
    expect(creates({ rail_reference: 'a'.repeat(257) })).toBe(false)
    expect(creates({ memo: '', rail_reference: '' })).toBe(true)
  })

  verifies('pipeline.text', 'NUL and lone surrogates are refused, line breaks are not', () => {
    for (const memo of ['a\0b', '\uD800', 'x\uDC00y', '\uDC00\uD800'])
      expect(creates({ memo }), JSON.stringify(memo)).toBe(false)
    expect(creates({ memo: 'two\nlines\t\u{1F4B8}' })).toBe(true)
  })

  verifies(
    'payout.create.usage-default',
    'usage defaults to unspecified and is one of three',
    () => {
      expect(createPayout.input.parse(create).usage).toBe('unspecified')
      expect(createPayout.input.parse({ ...create, usage: 'synthetic' }).usage).toBe('synthetic')
      expect(creates({ usage: 'real' })).toBe(false)
    },
  )

  verifies(
    'payout.create.same-amount-text',
    '1.0 and 1.00 have the same fingerprint, 1.01 has not',
    () => {
      const { idempotency } = createPayout
      if (idempotency.kind !== 'body') throw new Error('create is recognised by its body')
      const fingerprint = (amount_usdc: string) =>
        idempotency.fingerprint?.(createPayout.input.parse({ ...create, amount_usdc }))
      expect(fingerprint('1.0')).toEqual(fingerprint('1.00'))
      expect(fingerprint('1.0')).not.toEqual(fingerprint('1.01'))
    },
  )
})

describe('payout-authorize', () => {
  test('limits presentations to 24576 and challenge tokens to 8192 characters', () => {
    expect(
      authorizes({ presentation: 'p'.repeat(24_576), challenge_token: 'c'.repeat(8192) }),
    ).toBe(true)
    for (const change of [
      { presentation: '' },
      { presentation: 'p'.repeat(24_577) },
      { challenge_token: '' },
      { challenge_token: 'c'.repeat(8193) },
    ]) {
      expect(authorizes(change)).toBe(false)
    }
  })

  test('takes expiries from 1 to 4102444800 and signatures of 65 bytes', () => {
    expect(authorizes({ expires_at: 4_102_444_800 })).toBe(true)
    for (const expires_at of [0, -1, 1.5, 4_102_444_801, '1'])
      expect(authorizes({ expires_at })).toBe(false)
    for (const length of [128, 129, 131, 132])
      expect(authorizes({ principal_signature: `0x${hex(length)}` })).toBe(false)
  })

  test('takes payout ids in lowercase only', () => {
    for (const payout_id of [`po_${hex(63)}`, `po_${'A'.repeat(64)}`, hex(64)])
      expect(authorizes({ payout_id })).toBe(false)
  })
})

test('payout-status takes exactly one identifier', () => {
  const reads = (input: unknown) => payoutStatus.input.safeParse(input).success
  expect(reads({ payout_id: `po_${hex(64)}` })).toBe(true)
  expect(reads({ idempotency_key: 'k' })).toBe(true)
  expect(reads({})).toBe(false)
  expect(reads({ payout_id: `po_${hex(64)}`, idempotency_key: 'k' })).toBe(false)
})
