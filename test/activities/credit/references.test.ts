import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { limits } from '#domain/core/limits.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import type { ProviderEvent } from '#domain/payments/provider-event-type.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { createWallet, setWalletLimits } from '../../../activities/credit/allowance.ts'
import { consumeCredit, refundReference } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { applyEvent, receiveEvent } from '../../../activities/credit/provider-events.ts'
import { bindChallenge, issueQuote, openChallenge } from '../../../activities/credit/quotes.ts'
import { returnUnused } from '../../../activities/credit/returns.ts'
import { presentTopUp } from '../../../activities/credit/top-ups.ts'
import { verifyReference } from '../../../activities/credit/verify-reference.ts'
import { reservedUnits } from '../../../activities/store/credit/allowance-wallets.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { readBalance } from '../../../activities/store/credit/postings.ts'
import {
  countEventsToSee,
  listOpenEvents,
} from '../../../activities/store/credit/provider-events.ts'
import { findChallenge } from '../../../activities/store/payments/challenges.ts'
import {
  findReference,
  listDueReferences,
} from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { listReceipts } from '../../../activities/store/receipts/receipts.ts'
import { verifies } from '../../verifies.ts'
import {
  decide,
  funded,
  hex,
  lapse as lapseChallenge,
  newAgent,
  operator,
  packetops,
  present,
  quoted,
  refusal,
  startMoney,
  topUp,
} from './fixture.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

const inTransaction = <T>(run: Parameters<typeof transaction<T>>[1]) => transaction(deps.db, run)
const challengeState = async (id: string) => (await findChallenge(deps.db, id))?.state
const entitlementState = async (id: string) => (await findEntitlement(deps.db, id))?.state
const lapse = (challengeId: string) => lapseChallenge(deps, challengeId)

verifies('money.quote', 'each call is a quote of its own, also of several at once', async () => {
  const caller = newAgent()
  const quote = (who = caller, units = 1) =>
    inTransaction((tx) =>
      issueQuote(deps, tx, { by: { owner: who }, rail: packetops, tier: 'standard', units }),
    )
  const quotes = await Promise.all(Array.from({ length: 10 }, () => quote()))
  expect(new Set(quotes.map(({ quote_id }) => quote_id)).size).toBe(10)
  expect(quotes[0]).toMatchObject({
    base_usd: 99,
    rail_fee_usd: 8,
    total_usd: 107,
    expired: false,
    used: false,
  })
  expect((await quote(caller, 2)).total_usd).toBe(214)
  const free = { key: 'scout' as const, prices: { entry: 0, standard: 0, pro: 0 } }
  const quoteFree = await inTransaction((tx) =>
    issueQuote(deps, tx, { by: { owner: caller }, rail: free, tier: 'entry' }),
  )
  expect(quoteFree).toMatchObject({ base_usd: 0, rail_fee_usd: 0, total_usd: 0 })
  await expect(inTransaction((tx) => openChallenge(tx, quoteFree.quote_id))).rejects.toMatchObject(
    refusal('unsupported_request'),
  )
})

verifies(
  'money.challenge',
  'a quote has one open challenge, however many ask for it at once',
  async () => {
    const quote = await inTransaction((tx) =>
      issueQuote(deps, tx, { by: { owner: newAgent() }, rail: packetops, tier: 'pro' }),
    )
    const open = () => inTransaction((tx) => openChallenge(tx, quote.quote_id))
    const opened = await Promise.all(Array.from({ length: 10 }, open))
    expect(new Set(opened.map(({ challenge_id }) => challenge_id)).size).toBe(1)
    const [first] = opened
    expect(first).toMatchObject({ state: 'open', amount_usd: 269, lapsed: false })
    await lapse(first?.challenge_id ?? '')
    const next = await open()
    expect(next.challenge_id).not.toBe(first?.challenge_id)
    expect(await challengeState(first?.challenge_id ?? '')).toBe('expired')
    await expect(
      inTransaction((tx) => openChallenge(tx, `qt_${'0'.repeat(64)}`)),
    ).rejects.toMatchObject(refusal('not_found'))
  },
)

verifies('money.challenge', 'a pending or paid payment allows no new challenge', async () => {
  const one = await quoted(deps)
  const reference = await present(deps, one)
  const again = () => inTransaction((tx) => openChallenge(tx, one.challenge.quote_id))
  await expect(again()).rejects.toMatchObject({
    refusal: {
      code: 'payment_pending',
      extra: { payment_reference_id: reference.payment_reference_id },
    },
  })
  await decide(deps, reference)
  await expect(again()).rejects.toMatchObject(refusal('already_funded'))
})

verifies(
  'money.challenge',
  'a challenge is bound to one entitlement of the same quote',
  async () => {
    const [one, other] = [await quoted(deps), await quoted(deps)]
    const bind = (agentId: string, entitlementId: string, challengeId: string) =>
      inTransaction((tx) => bindChallenge(tx, { agentId, entitlementId, challengeId }))
    const own = [one.agentId, one.entitlement.entitlement_id, one.challenge.challenge_id] as const
    expect((await bind(...own)).challenge.entitlement_id).toBe(own[1])
    expect((await bind(...own)).challenge.entitlement_id).toBe(own[1])
    await expect(bind(other.agentId, own[1], own[2])).rejects.toMatchObject(refusal('not_owner'))
    await expect(
      bind(other.agentId, other.entitlement.entitlement_id, own[2]),
    ).rejects.toMatchObject(refusal('amount_mismatch'))
  },
)

verifies(
  'money.reference',
  'an invoice funds once, by an operator, with a settlement receipt',
  async () => {
    const one = await quoted(deps)
    const presented = await Promise.all([
      present(deps, one),
      present(deps, one),
      present(deps, one),
    ])
    expect(new Set(presented.map(({ payment_reference_id: id }) => id)).size).toBe(1)
    const [reference] = presented
    const id = reference.payment_reference_id
    expect(await verifyReference(deps, id)).toMatchObject({ state: 'pending' })
    expect(await entitlementState(one.entitlement.entitlement_id)).toBe('pending')
    const decided = await Promise.all([decide(deps, reference), decide(deps, reference)])
    for (const row of decided)
      expect(row).toMatchObject({ state: 'verified', decided_by: operator })
    const receipts = await listReceipts(deps.db, id)
    expect(receipts.map(({ kind, receipt_id }) => [kind, receipt_id])).toEqual([
      ['settlement_receipt', decided[0].settlement_receipt_id],
    ])
    expect(await challengeState(one.challenge.challenge_id)).toBe('settled')
    expect(await entitlementState(one.entitlement.entitlement_id)).toBe('funded')
    await expect(decide(deps, reference, false)).rejects.toMatchObject(refusal('wrong_state'))
    expect(await verifyReference(deps, id)).toMatchObject({ state: 'verified' })
    await expect(present(deps, one, { externalReference: 'INV-2' })).rejects.toMatchObject(
      refusal('already_funded'),
    )
  },
)

verifies(
  'money.reference',
  'a payment counts once; a rejected one may be presented again',
  async () => {
    const [one, other] = [await quoted(deps), await quoted(deps)]
    const invoice = { externalReference: `INV-${hex(8)}` }
    const reference = await present(deps, one, invoice)
    await expect(present(deps, one, { externalReference: 'INV-3' })).rejects.toMatchObject(
      refusal('payment_pending'),
    )
    expect(await decide(deps, reference, false)).toMatchObject({
      state: 'rejected',
      reason: 'seen on the account',
    })
    expect(await challengeState(one.challenge.challenge_id)).toBe('open')
    const second = await decide(deps, await present(deps, other, invoice))
    expect(second.state).toBe('verified')
    await expect(present(deps, one, invoice)).rejects.toMatchObject(
      refusal('reference_already_used'),
    )
  },
)

verifies(
  'money.reference',
  'wrong amounts, ended challenges and other agents are refused',
  async () => {
    const one = await quoted(deps)
    await expect(present(deps, one, { amountUsd: 106 })).rejects.toMatchObject(
      refusal('amount_mismatch'),
    )
    await expect(present(deps, { ...one, agentId: newAgent() })).rejects.toMatchObject(
      refusal('not_owner'),
    )
    const checkout = await present(deps, await quoted(deps), {
      method: 'hosted_checkout',
      externalReference: hex(8),
    })
    await expect(decide(deps, checkout)).rejects.toMatchObject(refusal('control_denied'))
    await lapse(one.challenge.challenge_id)
    await expect(present(deps, one)).rejects.toMatchObject(refusal('challenge_expired'))
    // What was presented and not looked at is looked at; then a provider has to speak.
    expect(await listDueReferences(deps.db, 0, 100)).toContain(checkout.payment_reference_id)
    await verifyReference(deps, checkout.payment_reference_id)
    expect(await listDueReferences(deps.db, 0, 100)).not.toContain(checkout.payment_reference_id)
  },
)

const event = (more: Partial<ProviderEvent> = {}): ProviderEvent => ({
  event_id: `evt_${hex(8)}`,
  type: 'payment.settled',
  external_reference: `cs_${hex(8)}`,
  payment_intent: null,
  dispute_id: null,
  refund_id: null,
  challenge_id: null,
  wallet_id: null,
  amount_cents: 10_700,
  currency: 'usd',
  said_at: null,
  ...more,
})
const notify = async (notified: ProviderEvent) => {
  const { key, duplicate } = await receiveEvent(deps, 'stripe', notified)
  return { duplicate, ...(await applyEvent(deps, key)) }
}
const hosted = (one: Awaited<ReturnType<typeof quoted>>, externalReference: string) =>
  present(deps, one, { method: 'hosted_checkout', externalReference })

verifies(
  'money.provider',
  'a settled event of the session funds once, in any order, repeated',
  async () => {
    const one = await quoted(deps)
    const notified = event({ challenge_id: one.challenge.challenge_id })
    expect((await notify(notified)).outcome).toBe('verified')
    const reference = await hosted(one, notified.external_reference)
    expect(await verifyReference(deps, reference.payment_reference_id)).toMatchObject({
      state: 'verified',
      decided_by: 'provider',
    })
    expect(await notify(notified)).toMatchObject({ duplicate: true, outcome: 'verified' })
    expect((await notify({ ...notified, event_id: 'evt_again' })).outcome).toBe('verified')
    expect(await entitlementState(one.entitlement.entitlement_id)).toBe('funded')
    const plain = {
      method: 'payment_reference' as const,
      externalReference: notified.external_reference,
    }
    await expect(present(deps, await quoted(deps), plain)).rejects.toMatchObject(
      refusal('reference_already_used'),
    )
    expect(await listOpenEvents(deps.db, 0, 10)).toEqual([])
  },
)

verifies('money.provider', 'a wrong amount or currency waits for an operator', async () => {
  for (const wrong of [{ amount_cents: 10_699 }, { amount_cents: 10_750 }, { currency: 'eur' }]) {
    const one = await quoted(deps)
    const notified = event({ challenge_id: one.challenge.challenge_id, ...wrong })
    await hosted(one, notified.external_reference)
    const { outcome, reference } = await notify(notified)
    expect(outcome).toBe('pending')
    expect(reference?.reason_code).toBe('amount_mismatch')
    expect(await challengeState(one.challenge.challenge_id)).toBe('pending')
  }
})

verifies('payments.unknown-session', 'a mistyped session frees its quote at once', async () => {
  const one = await quoted(deps)
  const mistyped = await hosted(one, `cs_${hex(8)}`)
  await verifyReference(deps, mistyped.payment_reference_id)
  const again = inTransaction((tx) => openChallenge(tx, one.challenge.quote_id))
  await expect(again).rejects.toMatchObject(refusal('payment_pending'))
  const invoice = await present(deps, one, { externalReference: `INV-${hex(8)}` })
  expect(invoice.state).toBe('presented')
  expect((await findReference(deps.db, mistyped.payment_reference_id))?.state).toBe('rejected')

  const [rejected, paid, known] = [await quoted(deps), await quoted(deps), await quoted(deps)]
  await decide(deps, await hosted(rejected, `cs_${hex(8)}`), false)
  expect(await challengeState(rejected.challenge.challenge_id)).toBe('open')
  // The provider's own session settles what was presented under another name.
  await hosted(paid, `cs_${hex(8)}`)
  const settled = event({ challenge_id: paid.challenge.challenge_id })
  expect((await notify(settled)).outcome).toBe('verified')
  const wrong = event({ challenge_id: known.challenge.challenge_id, amount_cents: 1 })
  await hosted(known, wrong.external_reference)
  expect((await notify(wrong)).outcome).toBe('pending')
  await expect(present(deps, known, { externalReference: `INV-${hex(8)}` })).rejects.toMatchObject(
    refusal('payment_pending'),
  )
})

verifies('money.provider', 'a failed, expired or foreign session frees the challenge', async () => {
  for (const type of ['payment.failed', 'session.expired'] as const) {
    const one = await quoted(deps)
    const notified = event({ type })
    await hosted(one, notified.external_reference)
    expect((await notify(notified)).outcome).toBe('rejected')
    expect(await challengeState(one.challenge.challenge_id)).toBe('open')
  }
  const foreign = event({ challenge_id: `ch_${hex(32)}` })
  const one = await quoted(deps)
  await hosted(one, foreign.external_reference)
  expect((await notify(foreign)).outcome).toBe('unmatched')
  expect(await challengeState(one.challenge.challenge_id)).toBe('open')

  const notified = event({ challenge_id: one.challenge.challenge_id })
  await hosted(one, notified.external_reference)
  expect((await notify(notified)).outcome).toBe('verified')
  const refunded = event({
    type: 'payment.refunded',
    external_reference: notified.external_reference,
  })
  expect((await notify(refunded)).outcome).toBe('refunded')
  expect((await notify(refunded)).outcome).toBe('refunded')
  expect(await entitlementState(one.entitlement.entitlement_id)).toBe('returned')
})

verifies(
  'money.provider',
  'a payment by the link of a bound challenge needs no presentation',
  async () => {
    const one = await quoted(deps)
    const ids = {
      agentId: one.agentId,
      entitlementId: one.entitlement.entitlement_id,
      challengeId: one.challenge.challenge_id,
    }
    await inTransaction((tx) => bindChallenge(tx, ids))
    const notified = event({ challenge_id: ids.challengeId })
    expect(await notify(notified)).toMatchObject({
      outcome: 'verified',
      reference: { agent_id: one.agentId },
    })
    expect(await entitlementState(ids.entitlementId)).toBe('funded')
  },
)

verifies('money.named', 'who names a payment first neither gets nor blocks it', async () => {
  const [thief, payer] = [await quoted(deps), await quoted(deps)]
  const paid = event({ external_reference: `INV-${hex(8)}` })
  const invoice = { externalReference: paid.external_reference }
  const squatted = await present(deps, thief, invoice)
  const meant = await present(deps, payer, invoice)
  expect(await notify(paid)).toMatchObject({ outcome: 'pending' })
  for (const { payment_reference_id } of [squatted, meant])
    expect(await findReference(deps.db, payment_reference_id)).toMatchObject({
      state: 'pending',
      reason_code: 'unclear_payment',
    })
  // The operator sees both and confirms one of them.
  const decided = await Promise.allSettled([decide(deps, meant), decide(deps, squatted)])
  expect(decided.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = decided.find((one) => one.status === 'rejected')
  expect(refused?.reason).toMatchObject(refusal('reference_already_used'))
  await expect(
    sql`update payment_references set state = 'verified', decided_by = 'x', settlement_receipt_id =
      (select receipt_id from receipts r where not exists (select from payment_references p
        where p.settlement_receipt_id = r.receipt_id) limit 1)
      where external_reference = ${paid.external_reference} and state = 'pending'`.execute(deps.db),
  ).rejects.toMatchObject({ code: '23505' })
})

verifies('money.named', 'an event pays the challenge that it names, not a squatter', async () => {
  const [thief, payer] = [await quoted(deps), await quoted(deps)]
  const ids = {
    agentId: payer.agentId,
    entitlementId: payer.entitlement.entitlement_id,
    challengeId: payer.challenge.challenge_id,
  }
  await inTransaction((tx) => bindChallenge(tx, ids))
  const paid = event({
    external_reference: `INV-${hex(8)}`,
    challenge_id: payer.challenge.challenge_id,
  })
  const squatted = await present(deps, thief, { externalReference: paid.external_reference })
  expect(await notify(paid)).toMatchObject({
    outcome: 'verified',
    reference: { agent_id: payer.agentId },
  })
  expect((await findReference(deps.db, squatted.payment_reference_id))?.state).toBe('rejected')
  expect(await entitlementState(thief.entitlement.entitlement_id)).toBe('pending')
})

verifies('money.named', 'a payment whose presenter is rejected is shown again', async () => {
  const paid = event()
  const guessed = await hosted(await quoted(deps), paid.external_reference)
  expect((await notify(paid)).outcome).toBe('pending')
  await decide(deps, guessed, false)
  const key = { provider: 'stripe', event_id: paid.event_id }
  expect(await listOpenEvents(deps.db, 0, 100)).toContainEqual(key)
  expect((await applyEvent(deps, key)).outcome).toBe('unmatched')
  expect(await listOpenEvents(deps.db, 0, 100)).not.toContainEqual(key)
  const before = await countEventsToSee(deps.db)
  const one = await quoted(deps)
  await notify(event({ type: 'payment.refunded', external_reference: 'cs_back' }))
  const back = { external_reference: 'cs_back', challenge_id: one.challenge.challenge_id }
  await hosted(one, 'cs_back')
  expect((await notify(event(back))).outcome).toBe('rejected')
  expect(await countEventsToSee(deps.db)).toBe(before + 2)
})

verifies('money.named', 'an agent names only so many payments', async () => {
  const agentId = newAgent()
  for (let count = 0; count < limits.paymentsRejectedPerDay; count += 1)
    await decide(deps, await present(deps, await quoted(deps, agentId)), false)
  await expect(present(deps, await quoted(deps, agentId))).rejects.toMatchObject(
    refusal('rate_limited'),
  )
})

const newWallet = (agentId: string, limits = {}) =>
  inTransaction((tx) => createWallet(tx, { agentId, label: 'for runs', limits }))
const payFrom = (walletId: string, one: Awaited<ReturnType<typeof quoted>>) =>
  present(deps, one, { method: 'agent_allowance', payer: walletId, externalReference: '' })

verifies(
  'money.allowance',
  'a wallet pays once for a challenge and never falls below zero',
  async () => {
    const agentId = newAgent()
    const { wallet_id } = await newWallet(agentId)
    await topUp(deps, agentId, wallet_id, 250)
    const runs = await Promise.all(Array.from({ length: 5 }, () => quoted(deps, agentId)))
    const paid = await Promise.allSettled(
      runs.flatMap((one) => [payFrom(wallet_id, one), payFrom(wallet_id, one)]),
    )
    const references = paid.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    for (const one of paid)
      if (one.status === 'rejected') expect(one.reason).toMatchObject(refusal('wallet_underfunded'))
    expect(new Set(references.map((one) => one.payment_reference_id)).size).toBe(2)
    for (const one of references)
      expect(one).toMatchObject({ state: 'verified', decided_by: 'wallet' })
    expect(await readBalance(deps.db, walletAccount(wallet_id))).toBe(36)
    expect(await reservedUnits(deps.db, wallet_id)).toBe(214)
    // What was not consumed goes back into the wallet.
    const [first] = references
    const entitlementId = first?.entitlement_id ?? ''
    const use = {
      entitlementId,
      key: 'k',
      units: 7,
      kind: 'run_usage' as const,
      occurredAt: new Date(),
    }
    await inTransaction((tx) => consumeCredit(deps, tx, use))
    await inTransaction((tx) => returnUnused(deps, tx, entitlementId))
    expect(await readBalance(deps.db, walletAccount(wallet_id))).toBe(136)
  },
)

verifies(
  'money.allowance',
  'limits hold; an agent narrows them, an operator widens them',
  async () => {
    const agentId = newAgent()
    const { wallet_id } = await newWallet(agentId, {
      per_run_usd: 107,
      per_day_usd: 110,
      rails: ['packetops'],
    })
    await expect(newWallet(agentId)).rejects.toMatchObject(refusal('already_exists'))
    await topUp(deps, agentId, wallet_id, 1_000)
    const pay = async (more: Parameters<typeof quoted>[2] = {}) =>
      payFrom(wallet_id, await quoted(deps, agentId, more))
    const energyops = { key: 'energyops' as const, prices: { entry: 10, standard: 20, pro: 30 } }
    await expect(pay({ tier: 'pro' })).rejects.toMatchObject(refusal('control_denied'))
    await expect(pay({ rail: energyops })).rejects.toMatchObject(refusal('control_denied'))
    await pay()
    await expect(pay({ tier: 'entry' })).rejects.toMatchObject(refusal('control_denied'))
    const wider = { per_run_usd: null, per_day_usd: null, rails: null }
    const set = (
      by: { agentId: string } | { operator: string },
      limits: typeof wider | { per_run_usd: number; per_day_usd: number; rails: RailKey[] },
    ) => inTransaction((tx) => setWalletLimits(tx, { walletId: wallet_id, by, limits }))
    await expect(set({ agentId }, wider)).rejects.toMatchObject(refusal('control_denied'))
    await expect(set({ agentId: newAgent() }, wider)).rejects.toMatchObject(refusal('not_owner'))
    const narrow = { per_run_usd: 50, per_day_usd: 110, rails: [] }
    expect(await set({ agentId }, narrow)).toMatchObject({ after: narrow })
    expect(await set({ operator }, wider)).toMatchObject({ before: narrow, after: wider })
    expect((await pay({ tier: 'pro' })).state).toBe('verified')
    const stranger = await quoted(deps)
    await expect(payFrom(wallet_id, stranger)).rejects.toMatchObject(refusal('not_owner'))
  },
)

verifies(
  'money.allowance',
  'a wallet is not paid from a wallet, and a payment into it counts once',
  async () => {
    const agentId = newAgent()
    const { wallet_id } = await newWallet(agentId)
    const into = { agentId, walletId: wallet_id, amountUsd: 50 }
    const fromWallet = {
      ...into,
      method: 'agent_allowance' as const,
      payer: wallet_id,
      externalReference: '',
    }
    await expect(presentTopUp(deps, fromWallet)).rejects.toMatchObject(
      refusal('unsupported_request'),
    )
    const invoice = {
      ...into,
      method: 'invoice_reference' as const,
      externalReference: `INV-${hex(8)}`,
    }
    const [first, second] = await Promise.all([
      presentTopUp(deps, invoice),
      presentTopUp(deps, invoice),
    ])
    expect(second.payment_reference_id).toBe(first.payment_reference_id)
    await decide(deps, first)
    await decide(deps, first)
    expect(await readBalance(deps.db, walletAccount(wallet_id))).toBe(50)
    const refund = {
      referenceId: first.payment_reference_id,
      decidedBy: operator,
      reason: 'charged back',
    }
    await inTransaction((tx) => refundReference(deps, tx, refund))
    expect(await readBalance(deps.db, walletAccount(wallet_id))).toBe(0)
  },
)

verifies(
  'money.x402',
  'while the chain is down nothing is claimed and nothing is rejected',
  async () => {
    const one = await quoted(deps)
    const stablecoin = {
      method: 'stablecoin_reference' as const,
      externalReference: `0x${hex(32)}`,
      payer: `0x${hex(20)}`,
    }
    await expect(present(deps, one, stablecoin)).rejects.toMatchObject(refusal('proof_invalid'))
    await expect(present(deps, one, { method: 'x402_reference' })).rejects.toMatchObject(
      refusal('invalid_request'),
    )
    expect(await challengeState(one.challenge.challenge_id)).toBe('open')
    expect((await funded(deps)).reference.state).toBe('verified')
  },
)
