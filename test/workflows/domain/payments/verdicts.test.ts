import { expect, test } from 'vitest'
import { paymentMethods } from '#domain/core/payment-methods.ts'
import {
  acceptedMethods,
  agree,
  bindingId,
  challengeOfBinding,
  checkTransaction,
  instructionsFor,
  paymentPaths,
  type SeenTransaction,
  type Verdict,
} from '#domain/payments/payment-reference.ts'
import { checkEvents } from '#domain/payments/provider-event.ts'
import type { StoredEvent } from '#domain/payments/provider-event-type.ts'
import { verifies } from '../../../verifies.ts'

const event: StoredEvent = {
  provider: 'stripe',
  event_id: 'evt_1',
  type: 'payment.settled',
  external_reference: 'cs_1',
  payment_intent: null,
  dispute_id: null,
  refund_id: null,
  challenge_id: 'ch_1',
  wallet_id: null,
  amount_cents: '10700',
  currency: 'usd',
  said_at: null,
}
const named = { external_reference: 'cs_1', amount_usd: 107 }
const reference = { ...named, challenge_id: 'ch_1', wallet_id: null }
const verdictOf = (...changes: Partial<StoredEvent>[]) =>
  checkEvents(
    reference,
    changes.map((change) => ({ ...event, ...change })),
  )

test('only the exact amount in usd verifies a payment', () => {
  const evidence = { provider: 'stripe', event_id: 'evt_1' }
  expect(verdictOf({})).toEqual({ kind: 'verified', evidence })
  expect(verdictOf({ challenge_id: null }, {})).toEqual({ kind: 'verified', evidence })
  for (const change of [{ amount_cents: '10600' }, { currency: 'eur' }])
    expect(verdictOf(change)).toMatchObject({ kind: 'pending', code: 'amount_mismatch' })
})

verifies('money.named', 'only an event that names what is paid verifies it', () => {
  const unclear = { kind: 'pending', code: 'unclear_payment' }
  expect(verdictOf({ challenge_id: null })).toMatchObject(unclear)
  const topUp = { ...named, challenge_id: null, wallet_id: 'aw_1' }
  const kindOf = (change: Partial<StoredEvent>) =>
    checkEvents(topUp, [{ ...event, ...change }]).kind
  expect(kindOf({ challenge_id: null, wallet_id: 'aw_1' })).toBe('verified')
  expect(kindOf({ challenge_id: null, wallet_id: 'aw_2' })).toBe('rejected')
  expect(kindOf({ wallet_id: 'aw_1' })).toBe('rejected')
  expect(kindOf({ challenge_id: null })).toBe('pending')
})

verifies('authority.stablecoin', 'no event in usd pays what was authorized in a stablecoin', () => {
  const asked = { ...reference, authority_type: 'stablecoin_checkout' as const }
  const inCurrency = (currency: string, cents = '10700') =>
    checkEvents(asked, [{ ...event, currency, amount_cents: cents }]).kind
  for (const currency of ['usdc', 'usdt', 'pyusd']) expect(inCurrency(currency)).toBe('verified')
  for (const currency of ['usd', 'eur', '', 'btc']) expect(inCurrency(currency)).toBe('pending')
  expect(inCurrency('usdc', '10600')).toBe('pending')
  expect(verdictOf({ currency: 'usdc' }).kind).toBe('pending')
})

test('a refund, a failure and an expiry reject a payment', () => {
  const rejected = (reason: RegExp) => ({
    kind: 'rejected',
    reason: expect.stringMatching(reason),
  })
  expect(verdictOf({}, { type: 'payment.refunded' })).toEqual(rejected(/gave the payment back/))
  expect(verdictOf({ type: 'payment.failed' })).toEqual(rejected(/failed/))
  expect(verdictOf({ type: 'session.expired' })).toEqual(rejected(/expired unpaid/))
  expect(verdictOf({ challenge_id: 'ch_2' })).toEqual(rejected(/something else/))
  expect(verdictOf({ challenge_id: 'ch_2', type: 'payment.refunded' }, {}).kind).toBe('verified')
  expect(verdictOf()).toEqual({
    kind: 'pending',
    reason: expect.stringMatching(/no event .* confirmed/),
  })
})

verifies('returns.own-payment', 'a payment of a stranger decides nothing of a real one', () => {
  const real = { event_id: 'evt_2', payment_intent: 'pi_1' }
  const foreign = { external_reference: 'cs_3', payment_intent: 'pi_3' }
  const small = { ...foreign, amount_cents: '4900' }
  const back = {
    type: 'payment.refunded',
    external_reference: 'pi_3',
    payment_intent: 'pi_3',
  } as const
  const evidence = { provider: 'stripe', event_id: 'evt_2' }
  for (const events of [[small], [back], [small, back], [foreign, back], [{ ...foreign }]])
    expect(verdictOf(...events, real)).toEqual({ kind: 'verified', evidence })
  expect(verdictOf(small, back).kind).toBe('pending')
  expect(verdictOf(small)).toMatchObject({ code: 'amount_mismatch' })
  expect(verdictOf(real, { ...back, payment_intent: 'pi_1' }).kind).toBe('rejected')
})

verifies('money.neutral', 'a presenter reads nothing of a payment whose name it guessed', () => {
  const reason = 'a payment of this name is not exactly what is owed; an operator decides about it'
  const stranger = { event_id: 'evt_9', challenge_id: null }
  expect(verdictOf({ ...stranger, amount_cents: '48312' })).toMatchObject({ reason })
  expect(verdictOf({ ...stranger, currency: 'eur' })).toMatchObject({ reason })
  expect(verdictOf(stranger)).toMatchObject({ reason })
})

const terms = { payer: '0xa', payTo: '0xb', amountAtomic: '5' }
const transfer = { from: '0xa', to: '0xb', amountAtomic: '5', nonce: null }
const seen: SeenTransaction = { success: true, finalized: true, transfers: [transfer] }

test('each reason against a transaction is named', () => {
  const reasonOf = (transaction: SeenTransaction | undefined) => {
    const verdict = checkTransaction(transaction, terms)
    return verdict.kind === 'verified' ? verdict : [verdict.kind, verdict.reason]
  }
  expect(reasonOf(seen)).toEqual({ kind: 'verified', evidence: terms })
  expect(reasonOf(undefined)).toEqual(['pending', expect.stringMatching(/no node/)])
  expect(reasonOf({ ...seen, finalized: false, success: false })).toEqual([
    'pending',
    expect.stringMatching(/not final/),
  ])
  const rejected: [Partial<SeenTransaction>, RegExp][] = [
    [{ success: false }, /reverted/],
    [{ transfers: [] }, /no transfer/],
    [{ transfers: [{ ...transfer, from: '0xc' }] }, /no transfer/],
    [{ transfers: [{ ...transfer, to: '0xc' }] }, /no transfer/],
    [{ transfers: [transfer, transfer] }, /more than once/],
    [{ transfers: [{ ...transfer, nonce: '0x1' }] }, /x402_reference/],
    [{ transfers: [{ ...transfer, amountAtomic: '6' }] }, /pays 6 .*not 5/],
  ]
  for (const [change, reason] of rejected)
    expect(reasonOf({ ...seen, ...change })).toEqual(['rejected', expect.stringMatching(reason)])
})

test('nodes that disagree leave a payment pending', () => {
  const yes: Verdict = { kind: 'verified', evidence: {} }
  const no: Verdict = { kind: 'rejected', reason: 'x' }
  const absent: Verdict = { kind: 'pending', reason: 'x', absent: true }
  const doubt: Verdict = { kind: 'pending', reason: 'y' }
  expect(agree([yes, yes])).toBe(yes)
  expect(agree([no, no])).toBe(no)
  for (const verdicts of [
    [yes, no],
    [yes, yes, no],
    [yes, no, yes],
  ])
    expect(agree(verdicts)).toEqual({
      kind: 'pending',
      reason: expect.stringMatching(/disagree/),
    })
  expect(agree([absent, absent])).toEqual({ ...absent, absent: true })
  expect(agree([absent, yes])).toEqual({ ...absent, absent: false })
  expect(agree([yes, doubt])).toEqual({ ...doubt, absent: false })
})

test('a binding has the number of its challenge', () => {
  expect(bindingId('ch_ch_1')).toBe('bd_ch_1')
  expect(challengeOfBinding('bd_bd_1')).toBe('ch_bd_1')
  expect([bindingId('x_ch_1'), challengeOfBinding('x_bd_1')]).toEqual(['x_ch_1', 'x_bd_1'])
})

test('a hosted checkout is taken only with a provider', () => {
  expect(acceptedMethods(['stripe'])).toEqual([...paymentMethods])
  expect(acceptedMethods([])).toEqual(paymentMethods.filter((one) => one !== 'hosted_checkout'))
})

test('instructions of each path name amount, challenge and method', () => {
  const facts = { challengeId: 'ch_1', amountUsd: 107, checkoutUrl: 'https://pay.example' }
  const words = paymentPaths.map((path) => instructionsFor(path, facts))
  expect(words).toEqual([
    expect.stringMatching(/checkout_url/),
    expect.stringMatching(/exactly 107 usd .*ch_1; .*its number as invoice_reference at POST/),
    expect.stringMatching(/107 usd as agent_allowance/),
    expect.stringMatching(/exactly 107 usd, .*ch_1; .*your bank .* as payment_reference at POST/),
  ])
  expect(instructionsFor('hosted_checkout_link', { ...facts, checkoutUrl: null })).toMatch(
    /exactly 107 usd .*ch_1/,
  )
})
