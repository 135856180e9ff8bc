import { expect } from 'vitest'
import { z } from 'zod'
import { railOf } from '#domain/rails/index.ts'
import { columnReader, columnsSchema } from '#domain/rails/input/columns.ts'
import { readInput, workOn } from '#domain/rails/input/read-input.ts'
import { moneyRow } from '#domain/rails/values/money.ts'
import { verifies } from '../../../../verifies.ts'

const Row = moneyRow({ id: z.string() })
const given = (currency: string, amount: unknown) =>
  Row.safeParse({ id: 'a', currency, amount }).data?.amount_minor

verifies('rails.money', 'an amount in whole units is that in minor units', () => {
  for (const [currency, amount, minor] of [
    ['USD', '1500', 150_000],
    ['USD', 1500.05, 150_005],
    ['EUR', '-0.10', -10],
    ['JPY', '1500', 1_500],
    ['KWD', '1.234', 1_234],
    ['CLF', '1.2345', 12_345],
    ['USDC', '0.000001', 1],
    ['USD', '1.500', 150],
    ['XYZ', '12.5', 1_250],
  ] as const)
    expect(given(currency, amount), `${currency} ${amount}`).toBe(minor)
  for (const [currency, amount] of [
    ['USD', '1.005'],
    ['JPY', '1.5'],
    ['KWD', 0.0001],
    ['USD', '1,500.00'],
    ['USD', ''],
    ['USD', '1e20'],
  ] as const)
    expect(given(currency, amount), `${currency} ${amount}`).toBeUndefined()
})

verifies('rails.money', 'one of both amounts is given, and a fault says where', () => {
  const { invoices, payments } = railOf('financeops').sandboxInput as {
    invoices: { amount_minor: number }[]
    payments: { amount_minor: number }[]
  }
  const inWhole = payments.map(({ amount_minor, ...rest }) => {
    return { ...rest, amount: String(amount_minor / 100) }
  })
  const input = { as_of: '2026-03-31', invoices, payments }
  const rail = railOf('financeops')
  expect(workOn(rail, { ...input, payments: inWhole })).toEqual(workOn(rail, input))
  const faultOf = (row: object) => {
    const { amount_minor: _amount, ...rest } = payments[0] ?? { amount_minor: 0 }
    const read = readInput(rail, { ...input, payments: [{ ...rest, ...row }] })
    return 'faults' in read ? read.faults : []
  }
  expect(faultOf({})).toMatchObject([
    { kind: 'missing_field', pointer: '/payments/0/amount_minor', row: 0 },
  ])
  expect(faultOf({ amount: '1', amount_minor: 100 })).toMatchObject([
    { kind: 'inconsistent', pointer: '/payments/0/amount' },
  ])
  expect(faultOf({ amount: '1.234' })).toMatchObject([
    { message: 'is not a decimal of at most 2 places', value: '"1.234"' },
  ])
})

verifies(['rails.money', 'rails.columns'], 'both amounts are columns of a list', () => {
  const { properties } = z.toJSONSchema(Row, { io: 'input' })
  expect(Object.keys(properties ?? {})).toEqual(['id', 'currency', 'amount', 'amount_minor'])
  expect(z.toJSONSchema(Row, { io: 'output' }).required).toContain('amount_minor')
  const columns = { rows: { amount: 'Total', currency: 'Ccy' } }
  expect(columnsSchema({ rows: Row }).safeParse(columns).success).toBe(true)
  const reader = columnReader('rows', Row, { columns: columns.rows })
  expect(reader.take({ Total: '1', Ccy: 'USD', id: 'a', Other: 2 })).toEqual({
    amount: '1',
    currency: 'USD',
    id: 'a',
  })
})
