import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { taskDepsOf } from '../../../../activities/container.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { badgesOf } from '../../../../activities/store/listings/listings.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import type { InputOf } from '../../../../api/http/client.ts'
import { openTaskRows } from '../../../activities/tasks/fixture.ts'
import { auditBooks } from '../../../support/books.ts'
import { listedAgent } from '../../../support/listings.ts'
import { key, startMoneyApis } from '../../../support/money-over-http.ts'
import { codeOf, patiently, problemOf } from '../../../support/problems.ts'
import { decide } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startMoneyApis>>
beforeAll(async () => {
  apis = await startMoneyApis(1)
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const waiting = () => listedAgent(hosts(), apis.operator)
type Agent = Awaited<ReturnType<typeof waiting>>
const judge = (listingId: string, decision: 'approve' | 'reject') =>
  decide(hosts(), apis.operator, listingId, decision, { subject_kind: 'listing' })
const listed = async (more: Partial<InputOf<'read-trust-listings'>> = {}) =>
  (await apis.open().call('read-trust-listings', { mode: 'read_trust_listings', ...more })).body
const badgeOf = async ({ listingId }: Agent) => {
  const { body } = await apis.console.call('trust-listing-read', { trust_listing_id: listingId })
  if (!('listing' in body)) throw new Error('a listing was expected')
  return body.listing
}
async function approved() {
  const agent = await waiting()
  await judge(agent.listingId, 'approve')
  return agent
}
const quote = async ({ call, listingId }: Agent, months = 12) =>
  (
    await call('quote-trust-badge-fee', {
      mode: 'quote_trust_badge_fee',
      trust_listing_id: listingId,
      months,
    })
  ).body.quote
const plan = async ({ call, listingId }: Agent, quote_id: string) =>
  (
    await call('create-trust-badge-plan', {
      mode: 'create_trust_badge_plan',
      trust_listing_id: listingId,
      quote_id,
      idempotency_key: key(),
    })
  ).body
/** An approved listing with a plan for a badge of a year. */
async function planned() {
  const agent = await approved()
  const { quote_id } = await quote(agent)
  const { listing, challenge } = await plan(agent, quote_id)
  return { agent, quote_id, planId: String(listing.commercial_plan_id), challenge }
}
type Event = InputOf<'record-trust-badge-fee-event'>
const record = (
  by: Pick<Agent, 'call'>,
  { listingId }: Agent,
  given: Omit<Event, 'mode' | 'trust_listing_id' | 'idempotency_key'>,
) =>
  by.call('record-trust-badge-fee-event', {
    mode: 'record_trust_badge_fee_event',
    trust_listing_id: listingId,
    idempotency_key: key(),
    ...given,
  })
const settle = (by: Pick<Agent, 'call'>, of: Agent, planId: string, wallet_id?: string) =>
  record(by, of, {
    commercial_plan_id: planId,
    event: 'settled',
    ...(wallet_id === undefined ? {} : { wallet_id }),
  })
/** Puts money into the wallet of the agent, as an operator confirms. */
async function fill({ call, walletId }: Agent, amount_usd: number) {
  const paid = {
    mode: 'fund_allowance',
    wallet_id: walletId,
    method: 'invoice_reference',
    external_reference: `INV-${key()}`,
    amount_usd,
    idempotency_key: key(),
  } as const
  const { payment_reference } = (await call('allowance-fund', paid)).body
  await apis.decide(payment_reference.payment_reference_id, 'approve')
}
async function invoice({ call }: Agent, quote_id: string) {
  const paid = {
    quote_id,
    method: 'invoice_reference',
    external_reference: `INV-${key()}`,
  } as const
  const { body } = await call('payment-reference-create', { ...paid, idempotency_key: key() })
  return body.payment_reference.payment_reference_id
}
/** What an agent reads of its badge fees. */
async function feesOf({ call }: Agent, wallet_id?: string) {
  const asked = wallet_id === undefined ? {} : { wallet_id }
  const { accrued } = (await call('commercial-layer-read', asked)).body
  expect(accrued.every(({ fee_item }) => fee_item === 'trust_badge_fee')).toBe(true)
  return accrued.map(({ state, amount_usd }) => `${state} ${amount_usd}`)
}
const earned = async () => (await auditBooks(apis.db)).get('revenue:trust_badge_fee') ?? 0

verifies('listing.review', 'a listing is public only while an operator approves', async () => {
  const agent = await waiting()
  const own = { agent_id: agent.agentId }
  expect((await listed(own)).items).toEqual([])
  const { body } = await agent.call('read-trust-listings', { mode: 'read_trust_listings' })
  expect(body.items).toMatchObject([{ review_state: 'waiting', trust_badge_state: 'none' }])
  const unseen = apis.open().call('trust-listing-read', { trust_listing_id: agent.listingId })
  expect(await codeOf(unseen)).toBe('not_found')
  const live = async () => {
    const view = (await apis.open().call('trust-listing-read', {})).body
    if (!('live' in view)) throw new Error('a contract view was expected')
    return view
  }
  const before = await live()
  expect(before.operations).toHaveLength(6)
  expect(before.fee.usd_by_months).toEqual([5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49])
  await judge(agent.listingId, 'approve')
  expect((await listed(own)).items).toMatchObject([{ trust_listing_id: agent.listingId }])
  expect((await live()).live['none'] ?? 0).toBe((before.live['none'] ?? 0) + 1)
  await judge(agent.listingId, 'reject')
  expect((await listed(own)).items).toEqual([])
  expect(await codeOf(judge(agent.listingId, 'approve'))).toBe('wrong_state')
})

verifies('listing.evidence', 'a listing rests on receipts of its own agent', async () => {
  const [one, other] = [await waiting(), await waiting()]
  expect(await codeOf(one.call('create-trust-listing', one.asked([one.receipt.receipt_id])))).toBe(
    'already_exists',
  )
  await judge(one.listingId, 'reject')
  const foreign = one.asked([one.receipt.receipt_id, other.receipt.receipt_id])
  const refused = await problemOf(one.call('create-trust-listing', foreign))
  expect(refused).toMatchObject({
    code: 'receipt_invalid',
    checks: [{ ok: true }, { ok: false, detail: 'it is not about the agent' }],
  })
  for (const receiptId of one.otherReceipts) {
    const idle = await problemOf(one.call('create-trust-listing', one.asked([receiptId])))
    expect(idle).toMatchObject({
      code: 'receipt_invalid',
      checks: [{ ok: false, detail: expect.stringMatching(/of work|no operational work/) }],
    })
  }
  const unknown = one.asked([`rc_${'0'.repeat(64)}`])
  expect(await codeOf(one.call('create-trust-listing', unknown))).toBe('receipt_invalid')
  const again = one.asked([one.receipt.receipt_id])
  const { body } = await one.call('create-trust-listing', again)
  expect(body.listing).toMatchObject({ review_state: 'waiting', agent_id: one.agentId })
  expect(await one.call('create-trust-listing', again)).toMatchObject({ replayed: true, body })
})

verifies('listing.evidence', 'a listing does not rest on work that failed', async () => {
  const agent = await waiting()
  await judge(agent.listingId, 'reject')
  const keys = loadKeyRings(apis.config.SIGNING_KEYS_FILE)
  const rows = openTaskRows(apis.db, taskDepsOf(apis.config, keys, apis.db))
  const about = { agent_id: agent.agentId, usage: 'operational', callback_url: null } as const
  /** The attestation of a task that comes to this state and is closed there. */
  const attestationIn = async (state: 'failed' | 'receipt_issued') => {
    const { task_id: subject } = await rows.taskIn(state, about)
    await rows.record(subject, ['closed', {}])
    const all = apis.db.selectFrom('receipts').selectAll().where('subject', '=', subject)
    const { receipt_id } = await all.where('kind', '=', 'attestation').executeTakeFirstOrThrow()
    const judged = async () => (await apis.open().call('verify-receipt', { receipt_id })).body
    await expect.poll(async () => (await judged()).verified).toBe(true)
    return receipt_id
  }
  const abandoned = agent.asked([await attestationIn('failed')])
  const refused = await problemOf(agent.call('create-trust-listing', abandoned))
  expect(refused).toMatchObject({
    code: 'receipt_invalid',
    checks: [{ ok: false, detail: 'it is of work that has not completed' }],
  })
  const completed = agent.asked([await attestationIn('receipt_issued')])
  const { body } = await agent.call('create-trust-listing', completed)
  expect(body.checks).toMatchObject([{ kind: 'attestation', ok: true }])
})

verifies('listing.plan', 'a badge is quoted for an approved listing of its agent', async () => {
  const agent = await waiting()
  expect(await codeOf(quote(agent))).toBe('wrong_state')
  await judge(agent.listingId, 'approve')
  const other = await approved()
  expect(await codeOf(quote({ ...other, listingId: agent.listingId }))).toBe('not_found')
  const half = await quote(agent, 6)
  expect(half).toMatchObject({ fee_item: 'trust_badge_fee', months: 6, total_usd: 25 })
  expect((await quote(agent, 6)).quote_id).not.toBe(half.quote_id)
  const year = await quote(agent)
  expect(await codeOf(plan(agent, half.quote_id))).toBe('quote_mismatch')
  const { listing, challenge } = await plan(agent, year.quote_id)
  expect(listing).toMatchObject({ trust_badge_state: 'planned', fee_event_id: null })
  expect(challenge).toMatchObject({ state: 'open', amount_usd: 49, quote_id: year.quote_id })
  expect((await plan(agent, year.quote_id)).listing).toEqual(listing)
  expect(await codeOf(quote(agent))).toBe('wrong_state')
  expect(await codeOf(apis.open().call('agent-quote-read', { quote_id: year.quote_id }))).toBe(
    'not_found',
  )
})

verifies('listing.plan', 'a badge is paid by its plan, while the approval stands', async () => {
  const agent = await approved()
  const { quote_id } = await quote(agent)
  expect(await codeOf(invoice(agent, quote_id))).toBe('wrong_state')
  const { listing } = await plan(agent, quote_id)
  await fill(agent, 100)
  const before = await earned()
  await judge(agent.listingId, 'reject')
  const settled = settle(agent, agent, String(listing.commercial_plan_id), agent.walletId)
  expect(await codeOf(settled)).toBe('wrong_state')
  expect(await codeOf(plan(agent, quote_id))).toBe('wrong_state')
  const { wallet } = (await agent.call('allowance-wallet-read', { wallet_id: agent.walletId })).body
  expect(wallet?.balance_units).toBe(100)
  expect(await earned()).toBe(before)
  expect(await badgeOf(agent)).toMatchObject({ trust_badge_state: 'planned', fee_event_id: null })
})

verifies(
  ['listing.charge', 'fees.read'],
  'the account’s controls stop a fee that is paid already',
  async () => {
    const { agent, quote_id, planId } = await planned()
    await apis.decide(await invoice(agent, quote_id), 'approve')
    const { rows } = await sql<{ account_id: string }>`
    select account_id from agents where agent_id = ${agent.agentId}`.execute(apis.db)
    const pause = (paused: boolean) =>
      apis.console.call('enterprise-controls-set', {
        account_id: rows[0]?.account_id,
        controls: { paused },
        reason: 'looked into',
        idempotency_key: key(),
      })
    const before = await earned()
    await pause(true)
    expect(await codeOf(settle(agent, agent, planId))).toBe('control_denied')
    expect(await earned()).toBe(before)
    await pause(false)
    const badge = async () => (await badgesOf(apis.db, [agent.agentId])).get(agent.agentId)
    expect(await badge()).toBe('planned')
    await settle(agent, agent, planId)
    expect(await earned()).toBe(before + 49)
    expect(await badge()).toBe('active')
    // An invoice paid it, and not the wallet.
    expect([await feesOf(agent), await feesOf(agent, agent.walletId)]).toEqual([['accrued 49'], []])
  },
)

verifies(
  ['listing.charge', 'fees.read'],
  'limits and pauses of a wallet stop the fee',
  async () => {
    const { agent, planId } = await planned()
    const pay = () => settle(agent, agent, planId, agent.walletId)
    expect(await codeOf(pay())).toBe('wallet_underfunded')
    await fill(agent, 100)
    const before = await earned()
    const limit = (limits: InputOf<'allowance-limits'>['limits']) =>
      apis.console.call('allowance-limits', {
        mode: 'set_limits',
        wallet_id: agent.walletId,
        limits,
        idempotency_key: key(),
      })
    for (const limits of [
      { per_run_usd: 48 },
      { per_run_usd: null, per_day_usd: 48 },
      { per_day_usd: null, rails: ['packetops' as const] },
    ]) {
      await limit(limits)
      expect(await codeOf(pay())).toBe('control_denied')
    }
    await limit({ rails: null })
    const pause = (paused: boolean) =>
      apis.console.call('pause-set', {
        scope: 'wallet',
        target: agent.walletId,
        paused,
        reason: 'looked into',
        idempotency_key: key(),
      })
    await pause(true)
    expect(await codeOf(pay())).toBe('paused')
    await pause(false)
    expect(await badgeOf(agent)).toMatchObject({ trust_badge_state: 'planned', fee_event_id: null })
    expect(await earned()).toBe(before)
    const answers = await Promise.all(Array.from({ length: 10 }, () => patiently(pay)))
    expect(new Set(answers.map(({ body }) => body.receipt.receipt_id)).size).toBe(1)
    expect(await earned()).toBe(before + 49)
    const [paid] = answers
    expect(paid?.body.listing).toMatchObject({ trust_badge_state: 'active' })
    expect(paid?.body.receipt).toMatchObject({
      kind: 'listing',
      payload: { event: 'settled', amount_usd: 49, agent_id: agent.agentId },
    })
    const { wallet } = (await agent.call('allowance-wallet-read', { wallet_id: agent.walletId }))
      .body
    expect(wallet?.balance_units).toBe(51)
    const all = [await feesOf(agent), await feesOf(agent, agent.walletId)]
    expect(all).toEqual([['accrued 49'], ['accrued 49']])
  },
)

verifies('listing.settled', 'no one settles a fee by word, operators included', async () => {
  const { agent, quote_id, planId } = await planned()
  for (const by of [agent, apis.console])
    expect(await codeOf(settle(by, agent, planId))).toBe('wrong_state')
  const reference = await invoice(agent, quote_id)
  const presented = { commercial_plan_id: planId, event: 'presented' } as const
  const named = await record(agent, agent, { ...presented, payment_reference_id: reference })
  expect(named.body.listing).toMatchObject({ trust_badge_state: 'planned' })
  expect((await record(agent, agent, presented)).body.receipt).toEqual(named.body.receipt)
  const wrong = { ...presented, payment_reference_id: `pr_${'0'.repeat(64)}` }
  expect(await codeOf(record(agent, agent, wrong))).toBe('quote_mismatch')
  for (const by of [agent, apis.console])
    expect(await codeOf(settle(by, agent, planId))).toBe('payment_pending')
  const other = await planned()
  expect(await codeOf(settle(other.agent, agent, planId))).toBe('not_found')
  const before = await earned()
  await apis.decide(reference, 'approve')
  const { body } = await settle(apis.console, agent, planId)
  expect(body.listing).toMatchObject({ trust_badge_state: 'active' })
  expect(await earned()).toBe(before + 49)
  for (const event of ['lapsed', 'refunded'] as const)
    expect(await codeOf(record(agent, agent, { commercial_plan_id: planId, event }))).toBe(
      'control_denied',
    )
  expect(
    await codeOf(record(apis.console, agent, { commercial_plan_id: planId, event: 'refunded' })),
  ).toBe('payment_pending')
  await apis.decide(reference, 'revise')
  // The list reads the payment itself, before anyone records its refund.
  expect(await badgeOf(agent)).toMatchObject({ trust_badge_state: 'none' })
  await record(apis.console, agent, { commercial_plan_id: planId, event: 'refunded' })
  expect(await badgeOf(agent)).toMatchObject({ trust_badge_state: 'none' })
  expect(await earned()).toBe(before)
  expect(await feesOf(agent)).toEqual(['released 49'])
})

verifies('listing.lapse', 'a badge lapses with its time, and is quoted again', async () => {
  const { agent, planId } = await planned()
  await fill(agent, 100)
  await settle(agent, agent, planId, agent.walletId)
  const lapsed = { commercial_plan_id: planId, event: 'lapsed' } as const
  expect(await codeOf(record(apis.console, agent, lapsed))).toBe('wrong_state')
  await transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`update trust_listings set active_until = clock_timestamp() - interval '1 second'
      where trust_listing_id = ${agent.listingId}`.execute(tx)
  })
  expect(await badgeOf(agent)).toMatchObject({ trust_badge_state: 'lapsed' })
  expect((await listed({ trust_badge_state: 'lapsed' })).items).toHaveLength(1)
  const { body } = await record(apis.console, agent, lapsed)
  expect(body.receipt.payload).toMatchObject({ event: 'lapsed', trust_badge_state: 'lapsed' })
  expect((await quote(agent, 1)).total_usd).toBe(5)
  expect(await badgeOf(agent)).toMatchObject({ trust_badge_state: 'quoted' })
})

verifies('listing.sql', 'the store takes no badge without its payment', async () => {
  const { agent } = await planned()
  const claim = sql`update trust_listings set trust_badge_state = 'active', fee_event_id = 'fe_1',
    active_until = clock_timestamp() where trust_listing_id = ${agent.listingId}`.execute(apis.db)
  await expect(claim).rejects.toThrow(/by the event that settled its fee/)
})

verifies('listing.bounds', 'a read counts up to 1000 listings, in total and by state', async () => {
  const { agentId, listingId } = await approved()
  await transaction(apis.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    const d = sql`encode(sha256(n::text::bytea), 'hex')`
    await sql`insert into agents select (jsonb_populate_record(a, jsonb_build_object('agent_id', 'agt_' || ${d},
        'key_sha256', ${d}, 'status_token_sha256', ${d}, 'registration_call', null))).*
      from agents a, generate_series(1, 1010) n where a.agent_id = ${agentId}`.execute(tx)
    await sql`insert into trust_listings select (jsonb_populate_record(l, jsonb_build_object('trust_listing_id', 'tl_' || ${d},
        'agent_id', 'agt_' || ${d}))).*
      from trust_listings l, generate_series(1, 1010) n where l.trust_listing_id = ${listingId}`.execute(
      tx,
    )
  })
  expect((await listed({ limit: 1 })).total).toBe(1000)
  const { body } = await apis.open().call('trust-listing-read', {})
  if (!('live' in body)) throw new Error('a contract view was expected')
  expect(Object.values(body.live).reduce((sum, count) => sum + count, 0)).toBe(1000)
  expect(await codeOf(listed({ offset: 1_001 }))).toBe('invalid_request')
})
