import { randomBytes } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { sections } from '#domain/core/difference.ts'
import { refuse } from '#domain/core/errors.ts'
import { debtAccount, walletAccount } from '#domain/credit/credit.ts'
import { readProviderEvent } from '#domain/payments/provider-event.ts'
import { createWallet } from '../../../activities/credit/allowance.ts'
import { consumeCredit, refundReference } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { applyEvent, receiveEvent } from '../../../activities/credit/provider-events.ts'
import { returnUnused } from '../../../activities/credit/returns.ts'
import { presentTopUp } from '../../../activities/credit/top-ups.ts'
import { verifyReference } from '../../../activities/credit/verify-reference.ts'
import { createReconciliationSteps } from '../../../activities/reconciliation/steps.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { readBalance } from '../../../activities/store/credit/postings.ts'
import {
  countEventsToSee,
  listOpenEvents,
} from '../../../activities/store/credit/provider-events.ts'
import { findReference } from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { closeException, listOpenExceptions } from '../../../activities/store/tasks/exceptions.ts'
import type { Confirmed } from '../../../workflows/reconciliation/activities.ts'
import { auditBooks } from '../../support/books.ts'
import {
  charge,
  checkoutSession,
  dispute,
  refund,
  type StripeEvent,
  stripeEvent,
} from '../../support/stripe-events.ts'
import { verifies } from '../../verifies.ts'
import { type Books, startBooks } from '../reconciliation/fixture.ts'
import { placeAt } from '../reconciliation/rows.ts'
import { moneyOver, newAgent, present, quoted, refusal } from './fixture.ts'

let books: Books
let deps: MoneyDeps
beforeAll(async () => {
  books = await startBooks()
  deps = await moneyOver(books.db)
})
afterAll(() => books?.stop())

const inTransaction = <T>(run: Parameters<typeof transaction<T>>[1]) => transaction(deps.db, run)
async function notify(event: StripeEvent, provider = 'stripe', to = deps) {
  const read = readProviderEvent('stripe', event)
  if (read === undefined) throw new Error('the event says nothing')
  const { key } = await receiveEvent(to, provider, read)
  return (await applyEvent(to, key)).outcome
}
const stateOf = async (referenceId: string) => (await findReference(deps.db, referenceId))?.state

/** A session that an agent presented, with what Stripe sends when it is paid. */
async function checkout() {
  const one = await quoted(deps)
  const session = checkoutSession({ client_reference_id: one.challenge.challenge_id })
  const hosted = { method: 'hosted_checkout' as const, externalReference: session.id }
  const reference = await present(deps, one, hosted)
  const { payment_reference_id: referenceId } = reference
  const { entitlement_id: entitlementId } = one.entitlement
  const use = {
    entitlementId,
    key: 'run',
    units: 10,
    kind: 'run_usage' as const,
    occurredAt: new Date(),
  }
  return {
    referenceId,
    entitlementId,
    challengeId: one.challenge.challenge_id,
    intent: session.payment_intent,
    paid: () => stripeEvent('checkout.session.completed', session),
    pay: () => notify(stripeEvent('checkout.session.completed', session)),
    consume: (units = 10) => inTransaction((tx) => consumeCredit(deps, tx, { ...use, units })),
    state: () => stateOf(referenceId),
    credit: async () => (await findEntitlement(deps.db, entitlementId))?.state,
  }
}

verifies(
  'returns.by-intent',
  'a refund that names only charge and intent takes the credit back',
  async () => {
    const one = await checkout()
    expect(await one.pay()).toBe('verified')
    expect(await notify(stripeEvent('charge.refunded', charge(one.intent, 10_700)))).toBe(
      'refunded',
    )
    expect([await one.state(), await one.credit()]).toEqual(['refunded', 'returned'])
    await expect(one.consume()).rejects.toMatchObject(refusal('credit_exhausted'))
    const used = await checkout()
    await used.pay()
    await used.consume()
    expect(await notify(stripeEvent('charge.refunded', charge(used.intent, 10_700)))).toBe(
      'refunded_after_use',
    )
  },
)

verifies(
  'returns.by-intent',
  'a refund that arrives before its payment applies after the payment',
  async () => {
    const one = await checkout()
    const refunded = stripeEvent('charge.refunded', charge(one.intent, 10_700))
    expect(await notify(refunded)).toBe('unmatched')
    expect(await listOpenEvents(deps.db, 0, 100)).not.toContainEqual({
      provider: 'stripe',
      event_id: refunded.id,
    })
    expect(await one.pay()).toBe('rejected')
    expect(await one.credit()).toBe('pending')
  },
)

verifies(
  'returns.by-intent',
  'the sweep applies an earlier event once its payment is presented',
  async () => {
    const agentId = newAgent()
    const { wallet_id } = await inTransaction((tx) => createWallet(tx, { agentId, label: 'runs' }))
    const session = checkoutSession({ client_reference_id: wallet_id })
    const paid = stripeEvent('checkout.session.completed', session)
    expect(await notify(paid)).toBe('unmatched')
    const open = { provider: 'stripe', event_id: paid.id }
    expect(await listOpenEvents(deps.db, 0, 100)).not.toContainEqual(open)
    const hosted = { method: 'hosted_checkout' as const, externalReference: session.id }
    const into = { agentId, walletId: wallet_id, amountUsd: 107 }
    const { payment_reference_id } = await presentTopUp(deps, { ...into, ...hosted })
    expect(await listOpenEvents(deps.db, 0, 100)).toContainEqual(open)
    expect((await applyEvent(deps, open)).outcome).toBe('verified')
    expect(await stateOf(payment_reference_id)).toBe('verified')
    expect(await listOpenEvents(deps.db, 0, 100)).not.toContainEqual(open)
  },
)

verifies(
  'returns.own-payment',
  'what comes back of a second payment takes nothing of the first',
  async () => {
    await reconcile('before own')
    const one = await checkout()
    const second = checkoutSession({ client_reference_id: one.challengeId })
    expect(await one.pay()).toBe('verified')
    const before = await countEventsToSee(deps.db)
    const twice = stripeEvent('checkout.session.completed', second)
    expect(await notify(twice)).toBe('paid_twice')
    const later = [
      stripeEvent('charge.dispute.created', dispute(second.payment_intent, 'needs_response')),
      stripeEvent('charge.refunded', charge(second.payment_intent, 10_700)),
    ]
    for (const event of later) expect(await notify(event)).toBe('paid_twice')
    expect([await one.state(), await one.credit()]).toEqual(['verified', 'funded'])
    expect((await one.consume()).credit_units).toBe(10)
    expect(await countEventsToSee(deps.db)).toBe(before + 3)
    expect((await reconcile('own')).sort()).toEqual(
      [twice, ...later].map(({ id }) => `paid_twice event/stripe/${id}`).sort(),
    )
    expect(await notify(stripeEvent('charge.refunded', charge(one.intent, 10_700)))).toBe(
      'refunded_after_use',
    )
  },
)

verifies(
  'returns.own-payment',
  'a refunded payment of a stranger keeps no real payment out',
  async () => {
    const one = await checkout()
    const foreign = checkoutSession({ client_reference_id: one.challengeId, amount_total: 4_900 })
    const stray = stripeEvent('checkout.session.completed', foreign)
    expect(await notify(stray)).toBe('pending')
    const back = stripeEvent('charge.refunded', charge(foreign.payment_intent, 4_900, 4_900))
    expect(await notify(back)).toBe('pending')
    expect(await one.pay()).toBe('verified')
    expect([await one.state(), await one.credit()]).toEqual(['verified', 'funded'])
    // What waited becomes an operator's to see.
    for (const { id: event_id } of [stray, back]) {
      const key = { provider: 'stripe', event_id }
      expect(await listOpenEvents(deps.db, 0, 100)).toContainEqual(key)
      expect((await applyEvent(deps, key)).outcome).toBe('paid_twice')
    }
  },
)

verifies('money.neutral', 'the reason of a guessed name says nothing of its payment', async () => {
  const stranger = checkoutSession({ amount_total: 48_312 })
  const event = stripeEvent('checkout.session.completed', stranger)
  expect(await notify(event)).toBe('unmatched')
  const named = { method: 'invoice_reference' as const, externalReference: stranger.id }
  const { payment_reference_id } = await present(deps, await quoted(deps), named)
  const { reason } = await verifyReference(deps, payment_reference_id)
  expect(reason).toMatch(/not exactly what is owed/)
  expect(reason).not.toMatch(/48312|usd|stripe|evt_/)
})

verifies(
  'returns.disputed',
  'disputed credit cannot be used until the dispute is won',
  async () => {
    const one = await checkout()
    await one.pay()
    const disputed = dispute(one.intent, 'needs_response')
    const speak = (type: string, status: string, created: number) =>
      notify(stripeEvent(`charge.dispute.${type}`, { ...disputed, status }, created))
    expect(await speak('created', 'needs_response', 1)).toBe('disputed')
    expect(await speak('funds_withdrawn', 'needs_response', 2)).toBe('disputed')
    expect([await one.state(), await one.credit()]).toEqual(['disputed', 'funded'])
    await expect(one.consume()).rejects.toMatchObject(refusal('wrong_state'))
    expect(await speak('closed', 'won', 4)).toBe('verified')
    expect(await speak('updated', 'under_review', 3)).toBe('verified')
    expect(await speak('funds_reinstated', 'won', 5)).toBe('verified')
    expect(await one.state()).toBe('verified')
    expect((await one.consume()).credit_units).toBe(10)
  },
)

verifies(
  'returns.disputed',
  'a lost dispute takes the credit back, in any order of its events',
  async () => {
    const [one, other] = [await checkout(), await checkout()]
    await Promise.all([one.pay(), other.pay()])
    const opened = dispute(one.intent, 'needs_response')
    expect(await notify(stripeEvent('charge.dispute.created', opened))).toBe('disputed')
    expect(await notify(stripeEvent('charge.dispute.closed', { ...opened, status: 'lost' }))).toBe(
      'refunded',
    )
    expect([await one.state(), await one.credit()]).toEqual(['refunded', 'returned'])
    const lost = dispute(other.intent, 'lost')
    expect(await notify(stripeEvent('charge.dispute.closed', lost))).toBe('refunded')
    expect(
      await notify(stripeEvent('charge.dispute.created', { ...lost, status: 'needs_response' })),
    ).toBe('refunded')
    expect([await other.state(), await other.credit()]).toEqual(['refunded', 'returned'])
  },
)

verifies('returns.disputed', 'a wallet does not pay with money that is disputed', async () => {
  const agentId = newAgent()
  const { wallet_id } = await inTransaction((tx) => createWallet(tx, { agentId, label: 'runs' }))
  const session = checkoutSession({ amount_total: 25_000, client_reference_id: wallet_id })
  const into = { agentId, walletId: wallet_id, amountUsd: 250 }
  await presentTopUp(deps, { ...into, method: 'hosted_checkout', externalReference: session.id })
  expect(await notify(stripeEvent('checkout.session.completed', session))).toBe('verified')
  const opened = dispute(session.payment_intent, 'needs_response', { amount: 25_000 })
  expect(await notify(stripeEvent('charge.dispute.created', opened))).toBe('disputed')
  const pay = async () => {
    const debit = { method: 'agent_allowance' as const, payer: wallet_id, externalReference: '' }
    return (await present(deps, await quoted(deps, agentId), debit)).state
  }
  await expect(pay()).rejects.toMatchObject(refusal('wallet_underfunded'))
  await notify(stripeEvent('charge.dispute.closed', { ...opened, status: 'won' }))
  expect(await pay()).toBe('verified')
})

const failedRefund = (intent: string, created = 1_763_890_000) =>
  stripeEvent('refund.failed', refund(intent, 'failed'), created)

verifies(
  'returns.failed',
  'a refund that fails restores credit once, for an operator to see',
  async () => {
    for (const used of [false, true]) {
      const one = await checkout()
      await one.pay()
      if (used) await one.consume()
      const paid = await findEntitlement(deps.db, one.entitlementId)
      const before = await auditBooks(deps.db)
      await notify(stripeEvent('charge.refunded', charge(one.intent, 10_700)))
      const seen = await countEventsToSee(deps.db)
      const failed = failedRefund(one.intent)
      expect(await notify(failed)).toBe('restored')
      expect(await notify(failed)).toBe('restored')
      expect(await countEventsToSee(deps.db)).toBe(seen + 1)
      const repeated = { ...failed, id: `${failed.id}_2`, type: 'charge.refund.updated' }
      expect(await notify(repeated)).toBe('verified')
      expect([await one.state(), await one.credit()]).toEqual(['verified', 'funded'])
      const { changed_at: _, ...restored } =
        (await findEntitlement(deps.db, one.entitlementId)) ?? {}
      expect(paid).toMatchObject(restored)
      expect(await auditBooks(deps.db)).toEqual(before)
      expect(await reconcile(`failed ${used}`)).toContain(
        `payment_restored event/stripe/${failed.id}`,
      )
      const again = stripeEvent('charge.refunded', charge(one.intent, 10_700), 1_763_890_100)
      expect(await notify(again)).toBe(used ? 'refunded_after_use' : 'refunded')
      expect([await one.state(), await one.credit()]).toEqual(['refunded', 'returned'])
      expect(await notify(failedRefund(one.intent, 1_763_890_200))).toBe('restored')
      expect(await one.credit()).toBe('funded')
      expect(await auditBooks(deps.db)).toEqual(before)
    }
  },
)

verifies(
  'returns.failed',
  'used credit, partial refunds and lost disputes come back alike',
  async () => {
    const [partly, lost] = [await checkout(), await checkout()]
    await Promise.all([partly.pay(), lost.pay()])
    expect(await notify(stripeEvent('charge.refunded', charge(partly.intent, 700)))).toBe(
      'partly_returned',
    )
    const some = refund(partly.intent, 'canceled', 700)
    expect(await notify(stripeEvent('charge.refund.updated', some))).toBe('refund_failed')
    expect([await partly.state(), await partly.credit()]).toEqual(['verified', 'funded'])
    const closed = dispute(lost.intent, 'lost')
    await notify(stripeEvent('charge.dispute.closed', closed, 1))
    expect(await lost.credit()).toBe('returned')
    const won = { ...closed, status: 'won' }
    expect(await notify(stripeEvent('charge.dispute.funds_reinstated', won, 2))).toBe('restored')
    expect([await lost.state(), await lost.credit()]).toEqual(['verified', 'funded'])
    const whole = await checkout()
    await whole.pay()
    await whole.consume(107)
    await notify(stripeEvent('charge.refunded', charge(whole.intent, 10_700)))
    const before = await auditBooks(deps.db)
    expect(await notify(failedRefund(whole.intent))).toBe('restored')
    expect(await whole.credit()).toBe('consumed')
    const after = await auditBooks(deps.db)
    const earned = (books: Map<string, number>) =>
      (books.get('revenue:packetops') ?? 0) + (books.get('fees') ?? 0)
    expect(earned(after) - earned(before)).toBe(107)
  },
)

verifies('returns.outage', 'what came while the signer was away is applied later', async () => {
  const signReceipt = () => Promise.reject(refuse('unavailable', { detail: 'the signer is away' }))
  const one = await checkout()
  for (const [event, outcome, state] of [
    [one.paid(), 'verified', 'verified'],
    [stripeEvent('charge.refunded', charge(one.intent, 10_700)), 'refunded', 'refunded'],
    [failedRefund(one.intent), 'restored', 'verified'],
  ] as const) {
    await expect(notify(event, 'stripe', { ...deps, signReceipt })).rejects.toMatchObject(
      refusal('unavailable'),
    )
    const open = { provider: 'stripe', event_id: event.id }
    expect(await listOpenEvents(deps.db, 0, 100)).toContainEqual(open)
    expect((await applyEvent(deps, open)).outcome).toBe(outcome)
    expect(await one.state()).toBe(state)
  }
})

verifies('returns.failed', 'what no event can restore is for an operator to see', async () => {
  const [revised, early] = [await checkout(), await checkout()]
  await revised.pay()
  const byOperator = { referenceId: revised.referenceId, decidedBy: 'operator:op_1', reason: 'x' }
  await inTransaction((tx) => refundReference(deps, tx, byOperator))
  const seen = await countEventsToSee(deps.db)
  expect(await notify(failedRefund(revised.intent))).toBe('refund_failed')
  expect([await revised.state(), await revised.credit()]).toEqual(['refunded', 'returned'])
  await notify(stripeEvent('charge.refunded', charge(early.intent, 10_700)))
  expect(await early.pay()).toBe('rejected')
  expect(await notify(failedRefund(early.intent))).toBe('unmatched')
  expect(await notify(failedRefund('pi_of_none'))).toBe('unmatched')
  expect(await countEventsToSee(deps.db)).toBe(seen + 5)
})

verifies('returns.failed', 'money in a wallet comes back and pays its debt first', async () => {
  const one = await spentWallet()
  await notify(stripeEvent('charge.refunded', charge(one.intent, 10_700)))
  expect(await one.held()).toEqual([0, -107])
  await expect(one.consume('a')).rejects.toMatchObject(refusal('wrong_state'))
  expect(await notify(failedRefund(one.intent))).toBe('restored')
  expect(await one.held()).toEqual([0, 0])
  expect((await one.consume('a')).credit_units).toBe(7)
  await auditBooks(deps.db)
})

verifies('returns.failed', 'SQL reverses a refund exactly and once', async () => {
  const one = await checkout()
  await one.pay()
  await one.consume()
  await notify(stripeEvent('charge.refunded', charge(one.intent, 10_700)))
  const reverse = (subject: string, revenue: number) =>
    inTransaction(async (tx) => {
      const id = `rc_${randomBytes(32).toString('hex')}`
      await sql`insert into receipts (receipt_id, subject, seq, prev, kind, jws, kid, payload_sha256)
        values (${id}, ${subject}, 9, 'p', 'refund_failed', 'j', 'k', 'p')`.execute(tx)
      for (const [account, units] of [
        ['revenue:packetops', revenue],
        ['clearing:hosted_checkout', -revenue],
      ] as const)
        await sql`insert into postings (receipt_id, account, units)
          values (${id}, ${account}, ${units})`.execute(tx)
    })
  for (const [subject, units] of [
    [one.referenceId, 11],
    [one.referenceId, -10],
    ['pr_of_none', 10],
  ] as const)
    await expect(reverse(subject, units)).rejects.toMatchObject({ code: '23514' })
  expect(await notify(failedRefund(one.intent))).toBe('restored')
  await expect(reverse(one.referenceId, 10)).rejects.toMatchObject({ code: '23505' })
})

/** A wallet that bought credit by all that a session paid into it. */
async function spentWallet() {
  const agentId = newAgent()
  const { wallet_id } = await inTransaction((tx) => createWallet(tx, { agentId, label: 'runs' }))
  const topUp = async () => {
    const session = checkoutSession({ client_reference_id: wallet_id })
    const into = { agentId, walletId: wallet_id, amountUsd: 107 }
    await presentTopUp(deps, { ...into, method: 'hosted_checkout', externalReference: session.id })
    expect(await notify(stripeEvent('checkout.session.completed', session))).toBe('verified')
    return session.payment_intent
  }
  const intent = await topUp()
  const buy = async () => {
    const debit = { method: 'agent_allowance' as const, payer: wallet_id, externalReference: '' }
    return present(deps, await quoted(deps, agentId), debit)
  }
  const { entitlement_id } = await buy()
  const entitlementId = entitlement_id ?? ''
  const consume = (key: string) => {
    const use = { entitlementId, key, units: 7, kind: 'run_usage', occurredAt: new Date() } as const
    return inTransaction((tx) => consumeCredit(deps, tx, use))
  }
  const held = async () => [
    await readBalance(deps.db, walletAccount(wallet_id)),
    await readBalance(deps.db, debtAccount(wallet_id)),
  ]
  return { entitlementId, intent, topUp, buy, consume, held }
}

verifies(
  'returns.wallet-debt',
  'credit of a wallet is withheld in a dispute and paid off',
  async () => {
    const one = await spentWallet()
    const opened = dispute(one.intent, 'needs_response')
    expect(await notify(stripeEvent('charge.dispute.created', opened))).toBe('disputed')
    await expect(one.consume('a')).rejects.toMatchObject(refusal('wrong_state'))
    const lost = { ...opened, status: 'lost' }
    expect(await notify(stripeEvent('charge.dispute.closed', lost))).toBe('refunded_after_use')
    expect(await one.held()).toEqual([0, -107])
    await expect(one.consume('b')).rejects.toMatchObject(refusal('wrong_state'))
    await one.topUp()
    expect(await one.held()).toEqual([0, 0])
    await expect(one.buy()).rejects.toMatchObject(refusal('wallet_underfunded'))
    expect((await one.consume('c')).credit_units).toBe(7)
    await auditBooks(deps.db)
  },
)

verifies('returns.wallet-debt', 'unused credit that is returned pays the debt first', async () => {
  const one = await spentWallet()
  const refunded = stripeEvent('charge.refunded', charge(one.intent, 10_700))
  expect(await notify(refunded)).toBe('refunded_after_use')
  await inTransaction((tx) => returnUnused(deps, tx, one.entitlementId))
  expect(await one.held()).toEqual([0, 0])
  await auditBooks(deps.db)
})

verifies('returns.wallet-debt', 'SQL uses no withheld credit and pays debts first', async () => {
  const one = await spentWallet()
  await notify(stripeEvent('charge.refunded', charge(one.intent, 10_700)))
  const walletId = (await findEntitlement(deps.db, one.entitlementId))?.source?.slice(7)
  const post = (kind: string, legs: [string, number][], consumed = 0) =>
    inTransaction(async (tx) => {
      const id = `rc_${randomBytes(32).toString('hex')}`
      await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
        values (${id}, ${id}, 0, ${kind}, 'j', 'k', 'p')`.execute(tx)
      await sql`update entitlements set consumed_units = consumed_units + ${consumed}
        where entitlement_id = ${one.entitlementId}`.execute(tx)
      for (const [account, units] of legs)
        await sql`insert into postings (receipt_id, account, units)
          values (${id}, ${account}, ${units})`.execute(tx)
    })
  const use: [string, number][] = [
    [`credit:${one.entitlementId}`, -7],
    ['revenue:packetops', 7],
  ]
  await expect(post('usage_receipt', use, 7)).rejects.toMatchObject({ code: '23514' })
  const into: [string, number][] = [
    [`wallet:${walletId}`, 5],
    ['clearing:invoice_reference', -5],
  ]
  await expect(post('settlement_receipt', into)).rejects.toMatchObject({
    message: 'a wallet pays what it owes first',
  })
})

verifies(
  'returns.provider-scope',
  'a provider cannot settle or return the payment of another provider',
  async () => {
    const one = await quoted(deps)
    const session = checkoutSession({ client_reference_id: one.challenge.challenge_id })
    const hosted = {
      method: 'hosted_checkout' as const,
      externalReference: session.id,
      provider: 'stripe',
    }
    const { payment_reference_id } = await present(deps, one, hosted)
    expect(await notify(stripeEvent('checkout.session.completed', session), 'other')).toBe(
      'unmatched',
    )
    expect(await stateOf(payment_reference_id)).toBe('presented')
    expect(await notify(stripeEvent('checkout.session.completed', session))).toBe('verified')
    const refunded = charge(session.payment_intent, 10_700)
    expect(await notify(stripeEvent('charge.refunded', refunded), 'other')).toBe('unmatched')
    expect(await stateOf(payment_reference_id)).toBe('verified')
    const free = await checkout()
    await free.pay()
    const { id, payment_intent } = checkoutSession({ payment_intent: free.intent })
    expect(
      await notify(stripeEvent('charge.refunded', charge(payment_intent, 10_700)), 'other'),
    ).toBe('unmatched')
    expect([id.length > 0, await free.state()]).toEqual([true, 'verified'])
  },
)

async function reconcile(reconciliationId: string) {
  const steps = createReconciliationSteps(books.deps)
  await steps.openReconciliation({ reconciliationId, scope: 'changed' })
  const page = { reconciliationId, section: 'provider_events' as const }
  const at = sections.indexOf(page.section)
  const activity = new MockActivityEnvironment()
  await placeAt(books.db, reconciliationId, at)
  await activity.run(steps.comparePage, page)
  await placeAt(books.db, reconciliationId, sections.length + at)
  const { opened } = (await activity.run(steps.confirmPage, page)) as Confirmed
  await placeAt(books.db, reconciliationId, 2 * sections.length)
  await steps.closeReconciliation({ reconciliationId })
  return opened
}

verifies(
  'returns.attention',
  'an event that does not apply opens an exception for an operator',
  async () => {
    await reconcile('before')
    const before = await countEventsToSee(deps.db)
    const stray = stripeEvent('charge.refunded', charge('pi_of_none', 10_700))
    expect(await notify(stray)).toBe('unmatched')
    const one = await checkout()
    await one.pay()
    const partly = stripeEvent('charge.refunded', charge(one.intent, 700))
    expect(await notify(partly)).toBe('partly_returned')
    expect(await one.credit()).toBe('funded')
    const inquiry = stripeEvent(
      'charge.dispute.created',
      dispute(one.intent, 'warning_needs_response'),
    )
    expect(await notify(inquiry)).toBe('partly_returned')
    expect(await countEventsToSee(deps.db)).toBe(before + 3)
    expect((await reconcile('first')).sort()).toEqual(
      [
        `event_unmatched event/stripe/${stray.id}`,
        `payment_partly_returned event/stripe/${partly.id}`,
        `payment_partly_returned event/stripe/${inquiry.id}`,
      ].sort(),
    )
    expect(await reconcile('second')).toEqual([])
    const subject = `event/stripe/${stray.id}`
    const { exception_id: exceptionId = '' } =
      (await listOpenExceptions(deps.db, 100)).find((open) => open.subject === subject) ?? {}
    await inTransaction((tx) =>
      closeException(tx, { exceptionId, closedBy: 'op_1', reason: 'another shop' }),
    )
    expect(await countEventsToSee(deps.db)).toBe(before + 2)
    expect([await reconcile('third'), await reconcile('fourth')]).toEqual([[], []])
  },
)
