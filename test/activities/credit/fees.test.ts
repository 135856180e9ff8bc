import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { type FeeItem, type FeeSettings, feeCatalog, feeUsd } from '#domain/credit/fees.ts'
import { createWallet } from '../../../activities/credit/allowance.ts'
import { consumeCredit, refundReference } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import {
  accrueFee,
  accrueOrOwe,
  freeIn,
  holdFee,
  type PostedItem,
  releaseFee,
} from '../../../activities/credit/fees.ts'
import { accrueMonths, collectFees, setTier } from '../../../activities/credit/wallet-tier.ts'
import { findWallet, updateTier } from '../../../activities/store/credit/allowance-wallets.ts'
import { listFeeEvents, routingFeesOf } from '../../../activities/store/credit/fee-events.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { CommercialLayer } from '../../../api/services/accounts/commercial-layer.ts'
import { AccountControlsService } from '../../../api/services/accounts/controls.ts'
import { setControls } from '../../support/account-controls.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { auditBooks } from '../../support/books.ts'
import { defaultFees } from '../../support/fees.ts'
import { setPause } from '../../support/pauses.ts'
import { verifies } from '../../verifies.ts'
import { decide, grantedCall, hex, present, quoted, refusal, startMoney, topUp } from './fixture.ts'

let deps: MoneyDeps & { fees: FeeSettings }
let stop: () => Promise<void>
beforeAll(async () => {
  const started = await startMoney()
  deps = { ...started.deps, fees: defaultFees }
  stop = started.stop
})
afterAll(() => stop?.())

/** An agent whose wallet holds so much. */
async function payer(usd: number) {
  const { agent_id: agentId, account_id } = await registeredAgent(deps.db)
  const { wallet_id } = await transaction(deps.db, (tx) => createWallet(tx, { agentId, label: '' }))
  if (usd > 0) await topUp(deps, agentId, wallet_id, usd)
  return { agentId, account_id, wallet_id }
}
const inTx = <T>(act: Parameters<typeof transaction<T>>[1]) => transaction(deps.db, act)
const accrue = (
  agentId: string,
  subject: string,
  basisUsd = 500,
  item: PostedItem = 'escrow_fee',
) => inTx((tx) => accrueFee(deps, tx, item, { agentId, subject, basisUsd }))
const stateOf = (settled: PromiseSettledResult<unknown>) =>
  settled.status === 'fulfilled'
    ? 'posted'
    : (settled.reason.refusal?.code ?? String(settled.reason))

verifies('fees.parallel', '100 parallel accruals balance and never overdraw a wallet', async () => {
  const { agentId, wallet_id } = await payer(500)
  const before = (await auditBooks(deps.db)).get('fees') ?? 0
  const subjects = Array.from({ length: 100 }, () => hex(8))
  const ended = await Promise.allSettled(subjects.map((subject) => accrue(agentId, subject)))
  const expected = (_: unknown, index: number) => (index < 50 ? 'payment_required' : 'posted')
  expect(ended.map(stateOf).sort()).toEqual(ended.map(expected))
  const books = await auditBooks(deps.db)
  expect(books.get('fees')).toBe(before + 500)
  expect(books.get(`wallet:${wallet_id}`)).toBe(0)
  const events = await listFeeEvents(deps.db, { agentId }, 200)
  expect(events).toHaveLength(50)
  expect(new Set(events.map(({ receipt_id }) => receipt_id)).size).toBe(50)
  await expect(
    sql`update fee_events set state = 'released' where agent_id = ${agentId}`.execute(deps.db),
  ).rejects.toThrow('posted once')
})

verifies('fees.once', 'an item and subject is posted once, and 0 posts nothing', async () => {
  const { agentId, wallet_id } = await payer(500)
  const subject = hex(8)
  const rows = await Promise.all(Array.from({ length: 20 }, () => accrue(agentId, subject)))
  expect(new Set(rows.map((row) => row?.receipt_id)).size).toBe(1)
  expect(await accrue(agentId, hex(8), 0, 'receipt_fee')).toBeUndefined()
  expect(await accrue(agentId, hex(8), 0, 'developer_fee')).toBeUndefined()
  expect(await freeIn(deps.db, wallet_id)).toBe(490)
})

verifies('fees.amounts', 'each item has its amount, and the badge is pro rata', () => {
  expect(feeCatalog(defaultFees).map(({ item, amount, unit }) => [item, amount, unit])).toEqual([
    ['micro_routing_fee', 8, 'percent'],
    ['receipt_fee', 0, 'usd per receipt'],
    ['escrow_fee', 2, 'percent'],
    ['premium_wallet_tier', 19, 'usd per month'],
    ['developer_fee', 0, 'usd per run'],
    ['trust_badge_fee', 49, 'usd per year'],
    ['enterprise_controls', 499, 'usd per month'],
  ])
  const amount = (item: FeeItem, of = {}) => feeUsd(defaultFees, item, of)
  expect([1, 6, 12].map((count) => amount('trust_badge_fee', { count }))).toEqual([5, 25, 49])
  expect(amount('micro_routing_fee', { basisUsd: 99 })).toBe(8)
  expect(amount('escrow_fee', { basisUsd: 225 })).toBe(5)
  expect(feeUsd({ ...defaultFees, receipt_usd: 2 }, 'receipt_fee', { count: 4 })).toBe(8)
})

verifies('fees.held', 'a held fee pays nothing else, and is posted or released', async () => {
  const { agentId, wallet_id } = await payer(110)
  const charge = (subject: string) => ({ agentId, subject, basisUsd: 500 })
  await inTx((tx) => holdFee(deps, tx, 'escrow_fee', charge('claim-1')))
  expect(await freeIn(deps.db, wallet_id)).toBe(100)
  const allowance = {
    method: 'agent_allowance',
    externalReference: wallet_id,
    payer: wallet_id,
  } as const
  const open = await quoted(deps, agentId)
  await expect(present(deps, open, allowance)).rejects.toMatchObject(refusal('wallet_underfunded'))
  await inTx((tx) => releaseFee(deps, tx, 'escrow_fee', charge('claim-1')))
  expect(await freeIn(deps.db, wallet_id)).toBe(110)
  await inTx((tx) => holdFee(deps, tx, 'escrow_fee', charge('claim-2')))
  const posted = await inTx((tx) => accrueFee(deps, tx, 'escrow_fee', charge('claim-2')))
  expect(posted).toMatchObject({ state: 'accrued', amount_usd: 10, wallet_id })
  await inTx((tx) => releaseFee(deps, tx, 'escrow_fee', charge('claim-2')))
  expect((await auditBooks(deps.db)).get(`wallet:${wallet_id}`)).toBe(100)
})

verifies('fees.held', 'a held fee is not posted from a payment that was taken back', async () => {
  const { agentId, wallet_id } = await payer(0)
  const { payment_reference_id: referenceId } = await topUp(deps, agentId, wallet_id, 15)
  const charge = { agentId, subject: 'claim-3', basisUsd: 500 }
  await inTx((tx) => holdFee(deps, tx, 'escrow_fee', charge))
  const taken = { referenceId, decidedBy: 'provider', reason: 'charged back' }
  await inTx((tx) => refundReference(deps, tx, taken))
  await expect(inTx((tx) => accrueFee(deps, tx, 'escrow_fee', charge))).rejects.toMatchObject(
    refusal('payment_required'),
  )
})

const strict = { per_run_usd_max: 1, per_day_usd_max: 1, allowed_rails: [], paused: true }

verifies('fees.controls', 'accepted fees are posted past the account’s controls', async () => {
  const { agentId, account_id, wallet_id } = await payer(620)
  const fees = { ...defaultFees, receipt_usd: 2, developer_usd: 5 }
  const layer = new CommercialLayer({ ...deps, fees })
  const accepts = {
    by: { agentId },
    accountId: undefined,
    controls: strict,
    reason: 'budget',
    acceptFee: true,
  }
  const callId = await grantedCall(deps, 'enterprise-controls-set')
  await new AccountControlsService({ ...deps, fees }).set({ callId, ...accepts })
  const month = {
    callId: await grantedCall(deps, 'commercial-fees-assess'),
    agentId,
    walletId: wallet_id,
    items: [{ fee_item: 'enterprise_controls' as const }],
  }
  await layer.accrue(month)
  expect(await freeIn(deps.db, wallet_id)).toBe(121)
  await inTx(async (tx) => {
    await accrueOrOwe({ ...deps, fees }, tx, 'receipt_fee', { agentId, subject: hex(8), count: 2 })
    await accrueOrOwe({ ...deps, fees }, tx, 'developer_fee', { agentId, subject: hex(8) })
    await holdFee(deps, tx, 'escrow_fee', { agentId, subject: 'held', basisUsd: 500 })
  })
  expect(await freeIn(deps.db, wallet_id)).toBe(102)
  expect((await accrue(agentId, 'held'))?.state).toBe('accrued')
  // The change to premium, and a month of it that was not accepted, are purchases.
  const premium = { agentId, walletId: wallet_id, tier: 'premium' } as const
  const bought = inTx((tx) => setTier(deps, tx, premium))
  await expect(bought).rejects.toMatchObject(refusal('control_denied'))
  const items = [{ fee_item: 'premium_wallet_tier' as const }]
  const ahead = await grantedCall(deps, 'commercial-fees-assess')
  await expect(layer.accrue({ ...month, callId: ahead, items })).rejects.toMatchObject(
    refusal('control_denied'),
  )
  await inTx((tx) => setControls(deps, tx, account_id, {}))
  await inTx((tx) => setTier(deps, tx, premium))
  expect((await auditBooks(deps.db)).get(`wallet:${wallet_id}`)).toBe(83)
})

verifies('fees.controls', 'the timer posts an accepted month of strict controls', async () => {
  const { agentId, wallet_id } = await payer(500)
  await new AccountControlsService(deps).set({
    callId: await grantedCall(deps, 'enterprise-controls-set'),
    by: { agentId },
    accountId: undefined,
    controls: strict,
    reason: 'budget',
    acceptFee: true,
  })
  await accrueMonths(deps)
  expect(await statesOf(agentId)).toEqual(['accrued'])
  expect(await freeIn(deps.db, wallet_id)).toBe(1)
})

verifies('fees.monthly', 'a month is posted once; an uncovered one ends premium', async () => {
  const rich = await payer(60)
  const poor = await payer(18)
  const controlled = await payer(100)
  await inTx((tx) => setControls(deps, tx, controlled.account_id, { per_run_usd_max: 9 }))
  for (const { wallet_id } of [rich, poor])
    await inTx((tx) => updateTier(tx, wallet_id, { tier: 'premium', perDayUsd: 1_000_000 }))
  const accept = (usd: number) =>
    sql`insert into account_control_changes select 'ctl_' || repeat(${String(usd % 10)}, 64), account_id, before, after, reason,
      'agt_x', (select receipt_id from receipts r where not exists (select from account_control_changes c where c.receipt_id = r.receipt_id) limit 1),
      clock_timestamp(), ${usd} from account_control_changes where account_id = ${controlled.account_id} limit 1`.execute(
      deps.db,
    )
  const ofControls = async () =>
    (
      await sql`select state, amount_usd from fee_events
        where item = 'enterprise_controls' and agent_id = ${controlled.agentId}`.execute(deps.db)
    ).rows
  // Of the fee that stands, no more is accepted than this.
  await accept(498)
  await accrueMonths(deps)
  expect(await ofControls()).toEqual([])
  await accept(499)
  await Promise.all([accrueMonths(deps), accrueMonths(deps), accrueMonths(deps)])
  expect(await findWallet(deps.db, rich.wallet_id)).toMatchObject({ tier: 'premium' })
  expect((await auditBooks(deps.db)).get(`wallet:${rich.wallet_id}`)).toBe(41)
  expect(await findWallet(deps.db, poor.wallet_id)).toMatchObject({
    tier: 'free',
    tier_per_day_usd: 100_000,
  })
  expect(await ofControls()).toEqual([{ state: 'due', amount_usd: 499 }])
})

verifies('accounts.fee-ends', 'the timer posts the month that began, and none after', async () => {
  const fees = new AccountControlsService(deps)
  const [first, second, third] = [await payer(0), await payer(0), await payer(0)]
  const set = async ({ agentId }: { agentId: string }, acceptFee: boolean) =>
    fees.set({
      callId: await grantedCall(deps, 'enterprise-controls-set'),
      by: { agentId },
      accountId: undefined,
      controls: { review_all: true },
      reason: 'budget',
      acceptFee,
    })
  /** As if what an account did was done so many months ago. */
  const ago = ({ account_id }: { account_id: string }, months: number) =>
    inTx(async (tx) => {
      await sql`alter table account_control_changes disable trigger user`.execute(tx)
      await sql`update account_control_changes set changed_at = changed_at - make_interval(months => ${months}),
        fee_ends_at = fee_ends_at - make_interval(months => ${months}) where account_id = ${account_id}`.execute(
        tx,
      )
      await sql`alter table account_control_changes enable trigger user`.execute(tx)
    })
  const postedTo = async ({ account_id }: { account_id: string }) => {
    await accrueMonths(deps)
    const { rows } = await sql<{ subject: string }>`select subject from fee_events
      where item = 'enterprise_controls' and subject like ${`${account_id}:%`}`.execute(deps.db)
    return rows.length
  }
  for (const one of [first, second, third]) await set(one, true)
  const ended = await set(first, false)
  expect(ended).toMatchObject({ fee_accepted: true, controls: { review_all: true } })
  expect(ended.receipt.payload).toMatchObject({
    accepted_fee_usd: 499,
    fee_ends_at: ended.fee_ends_at,
  })
  expect(ended.fee_ends_at).toMatch(/-01T00:00:00.000Z$/)
  await set(second, false)
  await ago(second, 1)
  await ago(third, 1)
  // The month that has begun is owed, once; one after the end is not.
  for (const _ of [1, 2])
    expect([await postedTo(first), await postedTo(second), await postedTo(third)]).toEqual([
      1, 0, 1,
    ])
  const month = new Date().toISOString().slice(0, 7)
  const forced = inTx((tx) =>
    accrueFee(deps, tx, 'enterprise_controls', {
      agentId: second.agentId,
      subject: `${second.account_id}:${month}`,
    }),
  )
  await expect(forced).rejects.toThrow('the account ended this fee')
  await expect(set(second, false)).rejects.toMatchObject(refusal('fee_not_accepted'))
  expect(await fees.read({ agentId: second.agentId }, undefined)).toMatchObject({
    own: { fee_accepted: false, fee_ends_at: null, controls: { review_all: true } },
  })
  expect(await set(second, true)).toMatchObject({ fee_accepted: true, fee_ends_at: null })
  expect(await postedTo(second)).toBe(1)
})

/** Fees that a wallet of nothing owes, of so much each, the oldest first. */
async function owing(agentId: string, amounts: readonly number[]) {
  for (const usd of amounts)
    await inTx((tx) =>
      accrueOrOwe(deps, tx, 'escrow_fee', { agentId, subject: hex(8), basisUsd: usd * 50 }),
    )
}
const statesOf = async (agentId: string) =>
  (await listFeeEvents(deps.db, { agentId }, 200)).reverse().map(({ state }) => state)

verifies('fees.collected', 'a payment into a wallet collects the oldest due fees', async () => {
  const { agentId, wallet_id } = await payer(0)
  await owing(agentId, [10, 30, 5])
  expect(await statesOf(agentId)).toEqual(['due', 'due', 'due'])
  await topUp(deps, agentId, wallet_id, 12)
  expect(await statesOf(agentId)).toEqual(['accrued', 'due', 'due'])
  await topUp(deps, agentId, wallet_id, 29)
  expect(await statesOf(agentId)).toEqual(['accrued', 'accrued', 'due'])
  expect(await freeIn(deps.db, wallet_id)).toBe(1)
})

verifies('fees.collected', 'random payments and timers at once collect once', async () => {
  const random = (most: number) => 1 + Math.floor(Math.random() * most)
  const { agentId, wallet_id } = await payer(0)
  const before = (await auditBooks(deps.db)).get('fees') ?? 0
  const amounts = Array.from({ length: 30 }, () => random(40))
  await owing(agentId, amounts)
  const yesterday = () =>
    sql`update fee_events set changed_at = changed_at - interval '2 days'
      where agent_id = ${agentId} and state = 'due'`.execute(deps.db)
  let paid = 0
  while ((await statesOf(agentId)).includes('due') && paid < 5_000) {
    await yesterday()
    const payments = Array.from({ length: 4 }, () => random(60))
    paid += payments.reduce((sum, usd) => sum + usd, 0)
    await Promise.all([
      ...payments.map((usd) => topUp(deps, agentId, wallet_id, usd)),
      collectFees(deps),
      collectFees(deps),
    ])
    const books = await auditBooks(deps.db)
    const taken = (books.get('fees') ?? 0) - before
    expect(taken + (books.get(`wallet:${wallet_id}`) ?? 0)).toBe(paid)
    const rows = await listFeeEvents(deps.db, { agentId }, 200)
    const accrued = rows.filter(({ state }) => state === 'accrued')
    expect(accrued.reduce((sum, { amount_usd }) => sum + amount_usd, 0)).toBe(taken)
  }
  expect(new Set(await statesOf(agentId))).toEqual(new Set(['accrued']))
  const sum = amounts.reduce((total, usd) => total + usd, 0)
  expect((await auditBooks(deps.db)).get('fees')).toBe(before + sum)
})

verifies('fees.collected', 'what a pause stops stays due until a later day', async () => {
  const { agentId, wallet_id } = await payer(100)
  await inTx((tx) => setPause(tx, 'wallet', wallet_id, true))
  await owing(agentId, [20, 5])
  expect(await statesOf(agentId)).toEqual(['due', 'due'])
  await inTx((tx) => setPause(tx, 'wallet', wallet_id, false))
  await collectFees(deps)
  expect(await statesOf(agentId)).toEqual(['due', 'due'])
  await sql`update fee_events set changed_at = changed_at - interval '2 days'
    where agent_id = ${agentId} and state = 'due'`.execute(deps.db)
  await collectFees(deps)
  expect(await statesOf(agentId)).toEqual(['accrued', 'accrued'])
  expect(await freeIn(deps.db, wallet_id)).toBe(75)
})

verifies(
  ['fees.read', 'fees.refunded'],
  'rail fees are those of an agent, or of what a wallet paid',
  async () => {
    const { agentId, wallet_id } = await payer(500)
    const allowance = { method: 'agent_allowance', externalReference: wallet_id } as const
    const byWallet = await present(deps, await quoted(deps, agentId), {
      ...allowance,
      payer: wallet_id,
    })
    const byInvoice = await decide(
      deps,
      await present(deps, await quoted(deps, agentId, { tier: 'pro' })),
    )
    const sums = async () => [
      await routingFeesOf(deps.db, { agentId }),
      await routingFeesOf(deps.db, { agentId, walletId: wallet_id }),
    ]
    const use = (entitlementId: string | null, units: number) => {
      const consumption = {
        entitlementId: entitlementId ?? '',
        key: hex(8),
        units,
        kind: 'run_usage' as const,
        occurredAt: new Date(),
      }
      return inTx((tx) => consumeCredit(deps, tx, consumption))
    }
    await use(byInvoice.entitlement_id, 269)
    expect(await sums()).toEqual([20, 0])
    await use(byWallet.entitlement_id, 107)
    expect(await sums()).toEqual([28, 8])
    const referenceId = byInvoice.payment_reference_id
    const taken = { referenceId, decidedBy: 'provider', reason: 'charged back' }
    await inTx((tx) => refundReference(deps, tx, taken))
    expect(await sums()).toEqual([8, 8])
  },
)

verifies('fees.tier', 'a tier limits the day of a wallet, also against the database', async () => {
  const { agentId, wallet_id } = await payer(1000)
  const free = { agentId, walletId: wallet_id, tier: 'free' } as const
  const low = {
    ...deps,
    fees: { ...defaultFees, wallet_per_day_usd: { free: 106, premium: 500 } },
  }
  await inTx((tx) => setTier(low, tx, free))
  const allowance = {
    method: 'agent_allowance',
    externalReference: wallet_id,
    payer: wallet_id,
  } as const
  const open = await quoted(deps, agentId)
  await expect(present(deps, open, allowance)).rejects.toMatchObject(refusal('control_denied'))
  await inTx((tx) => setTier(low, tx, { ...free, tier: 'premium' }))
  expect(await present(deps, open, allowance)).toMatchObject({ state: 'verified' })
  const other = await quoted(deps, agentId, { units: 4 })
  await expect(present(deps, other, allowance)).rejects.toMatchObject(refusal('control_denied'))
})
