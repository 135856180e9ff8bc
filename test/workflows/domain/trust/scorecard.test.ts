import fc from 'fast-check'
import { expect } from 'vitest'
import type { ProvenPayment, SeenTransfer } from '#domain/trust/counterparties.ts'
import { computeScorecard, type Evidence, findRefunds } from '#domain/trust/scorecard.ts'
import { verifies } from '../../../verifies.ts'

const wallet = '0xaa'
const own = '0xab'
const parties = [wallet, own, '0x01', '0x02', '0x03', '0x04', '0x05']
const now = 2_000_000_000
const DAY = 24 * 3600

const transfer = fc.record({
  id: fc.integer({ min: 0, max: 40 }).map((at) => `seen-${at}`),
  from: fc.constantFrom(...parties),
  to: fc.constantFrom(...parties),
  amountAtomic: fc.integer({ min: 1, max: 400 }).map(String),
  blockNumber: fc.integer({ min: 1, max: 30 }).map(String),
  logIndex: fc.nat(5),
})
const payment = (id: number): fc.Arbitrary<ProvenPayment> =>
  fc.record({
    id: fc.constant(`payment-${id}`),
    payee: fc.constantFrom(...parties),
    amountAtomic: fc.integer({ min: 1, max: 300 }).map(String),
    blockNumber: fc.integer({ min: 1, max: 20 }).map(String),
    logIndex: fc.nat(5),
    at: fc.integer({ min: now - 100 * DAY, max: now }),
    examined: fc.array(transfer, { maxLength: 20 }),
  })
const work = (id: number) =>
  fc.record({
    id: fc.constant(`work-${id}`),
    at: fc.integer({ min: now - 100 * DAY, max: now }),
  })
const accounts = fc
  .array(
    fc.tuple(
      fc.constantFrom(...parties),
      fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
    ),
    { maxLength: 4 },
  )
  .map((entries) => new Map(entries))
/** One log stands in a place of its own, as on a chain: an id has one content. */
const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    wallet: fc.constant(wallet),
    work: fc.tuple(...Array.from({ length: 10 }, (_, id) => work(id))),
    works: fc.nat(10),
    payments: fc.tuple(...Array.from({ length: 5 }, (_, id) => payment(id))),
    payees: fc.nat(5),
    accounts,
    asOf: fc.constant(now),
  })
  .map(({ works, payees, ...made }) => {
    const logs = new Map<string, SeenTransfer>()
    for (const { examined } of made.payments) for (const log of examined) logs.set(log.id, log)
    const payments = made.payments.map((each) => ({
      ...each,
      examined: each.examined.map(({ id }) => logs.get(id) as SeenTransfer),
    }))
    return { ...made, work: made.work.slice(0, works), payments: payments.slice(0, payees) }
  })

const scoreOf = (given: Evidence) => computeScorecard(given).score.value
const paid = (id: string, payee: string, more: Partial<ProvenPayment> = {}): ProvenPayment => ({
  id,
  payee,
  amountAtomic: '100',
  blockNumber: '10',
  logIndex: 1,
  at: now,
  examined: [],
  ...more,
})
const seen = (id: string, from: string, to: string, more: Partial<SeenTransfer> = {}) => ({
  id,
  from,
  to,
  amountAtomic: '100',
  blockNumber: '11',
  logIndex: 0,
  ...more,
})
const given = (payments: ProvenPayment[], more: Partial<Evidence> = {}): Evidence => ({
  wallet,
  work: [],
  payments,
  accounts: new Map(),
  asOf: now,
  ...more,
})

verifies('trust.score.monotone', 'any further proof keeps the score or raises it', () => {
  fc.assert(
    fc.property(evidence, fc.nat(14), (made, left) => {
      const [dropped] = left < 10 ? [made.work[left]] : [made.payments[left - 10]]
      const less = {
        ...made,
        work: made.work.filter((each) => each !== dropped),
        payments: made.payments.filter((each) => each !== dropped),
      }
      const [before, after] = [computeScorecard(less), computeScorecard(made)]
      expect(after.score.value).toBeGreaterThanOrEqual(before.score.value)
      for (const [index, { value }] of after.components.entries())
        expect(value).toBeGreaterThanOrEqual(before.components[index]?.value ?? 0)
      expect(after.score.value).toBeLessThanOrEqual(100)
    }),
    { numRuns: 2_000 },
  )
})

verifies('trust.score.monotone', 'each of up to 12 refunds keeps the score or lowers it', () => {
  fc.assert(
    fc.property(evidence, fc.nat(4), transfer, (made, at, refund) => {
      const returned = made.payments[at]
      if (returned === undefined) return
      const extra = { ...refund, id: 'extra', from: returned.payee, to: wallet }
      const payments = made.payments.map((each) =>
        each === returned ? { ...each, examined: [...each.examined, extra] } : each,
      )
      fc.pre(findRefunds(wallet, payments).length < 12)
      expect(scoreOf({ ...made, payments })).toBeLessThanOrEqual(scoreOf(made))
    }),
  )
})

verifies('trust.score.unmoved', 'paying oneself does not move the score', () => {
  fc.assert(
    fc.property(evidence, (made) => {
      const bound = new Map([
        [wallet, ['mine']],
        [own, ['mine']],
      ])
      const others = made.payments.filter(({ payee }) => payee !== wallet && payee !== own)
      const before = computeScorecard({ ...made, payments: others, accounts: bound })
      const after = computeScorecard({ ...made, accounts: bound })
      expect(after.score).toEqual(before.score)
      expect(after.components).toEqual(before.components)
      expect(after.selfPayments).toHaveLength(made.payments.length - others.length)
    }),
  )
})

verifies('trust.score.unmoved', 'payees of one account count as one counterparty', () => {
  const bound = new Map([
    ['0x01', ['acc']],
    ['0x02', ['acc', 'other']],
  ])
  const apart = given([paid('p1', '0x01'), paid('p2', '0x02')])
  const same = given([paid('p1', '0x01'), paid('p2', '0x01')])
  const merged = { ...apart, accounts: bound }
  expect(scoreOf(merged)).toBe(scoreOf(same))
  expect(scoreOf(apart)).toBeGreaterThan(scoreOf(merged))
})

verifies('trust.score.unmoved', 'payees of which one paid the other count as one', () => {
  const same = given([paid('p1', '0x01'), paid('p2', '0x01')])
  for (const [from, to] of [
    ['0x01', '0x02'],
    ['0x02', '0x01'],
  ] as const)
    for (const inLogsOf of [0, 1]) {
      const examined = [seen('s', from, to)]
      const payments = [paid('p1', '0x01'), paid('p2', '0x02')].map((each, at) =>
        at === inLogsOf ? { ...each, examined } : each,
      )
      expect(scoreOf(given(payments))).toBe(scoreOf(same))
    }
  // A payee that paid itself connects nothing.
  const alone = [paid('p1', '0x01', { examined: [seen('s', '0x01', '0x01')] }), paid('p2', '0x02')]
  expect(scoreOf(given(alone))).toBeGreaterThan(scoreOf(same))
})

verifies('trust.score.refunds', 'a returned payment counts by what the payee kept', () => {
  const partsOf = (made: Evidence) =>
    Object.fromEntries(
      computeScorecard(made).components.map((each) => [each.component, each.value]),
    )
  const whole = [seen('s', '0x01', wallet)]
  const half = [seen('s', '0x01', wallet, { amountAtomic: '50' })]
  const early = [seen('s', '0x01', wallet, { blockNumber: '10', logIndex: 0 })]
  expect(partsOf(given([paid('p', '0x01', { examined: whole })]))).toEqual({
    work_completed: 0,
    payments_settled: 0,
    distinct_counterparties: 0,
    refund_rate: 0,
    recency: 0,
  })
  expect(partsOf(given([paid('p', '0x01', { examined: half })]))).toMatchObject({
    payments_settled: 20,
    distinct_counterparties: 20,
    refund_rate: 10,
    recency: 100,
  })
  expect(partsOf(given([paid('p', '0x01', { examined: early })]))).toMatchObject({
    refund_rate: 20,
  })
})

verifies('trust.score.refunds', 'twelve refunds are examined, the largest ones', () => {
  const examined = Array.from({ length: 20 }, (_, at) =>
    seen(`s-${String(at).padStart(2, '0')}`, '0x01', wallet, { amountAtomic: String(at + 1) }),
  )
  const refunds = findRefunds(wallet, [paid('p', '0x01', { amountAtomic: '1000', examined })])
  expect(refunds.map(({ amount_atomic }) => Number(amount_atomic))).toEqual(
    Array.from({ length: 12 }, (_, at) => 20 - at),
  )
})

verifies('trust.score.refunds', 'a refund returns the last payment before it', () => {
  const examined = [seen('s', '0x01', wallet, { blockNumber: '15' })]
  const payments = [
    paid('first', '0x01', { examined }),
    paid('second', '0x01', { blockNumber: '12', examined }),
    paid('later', '0x01', { blockNumber: '20' }),
  ]
  expect(findRefunds(wallet, payments)).toEqual([
    { id: 's', payment: 'second', amount_atomic: '100' },
  ])
  expect(findRefunds(wallet, payments.toReversed())).toEqual(findRefunds(wallet, payments))
})

verifies('trust.score.monotone', 'the full evidence is worth 100, and none is worth 0', () => {
  const full = given(
    [1, 2, 3, 4, 5].map((at) => paid(`p${at}`, `0x0${at}`)),
    { work: Array.from({ length: 10 }, (_, at) => ({ id: `w${at}`, at: now })) },
  )
  expect(computeScorecard(full)).toMatchObject({
    score: { value: 100, band: 'high' },
    confidence: 'high',
  })
  expect(computeScorecard(given([]))).toMatchObject({
    score: { value: 0, band: 'unproven' },
    confidence: 'none',
    refunds: [],
  })
  const old = computeScorecard(given([paid('p', '0x01', { at: now - 90 * DAY })]))
  expect(old.components.at(-1)).toEqual({
    component: 'recency',
    weight: 15,
    value: 0,
    evidence: ['p'],
  })
})
