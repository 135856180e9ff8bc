import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { createWallet } from '../../../activities/credit/allowance.ts'
import { consumeCredit, refundReference } from '../../../activities/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { returnUnused } from '../../../activities/credit/returns.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { auditBooks } from '../../support/books.ts'
import { verifies } from '../../verifies.ts'
import {
  hex,
  lapse,
  newAgent,
  operator,
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

type Step =
  | { act: 'top-up'; usd: number }
  | { act: 'pay'; tier: 'entry' | 'standard' | 'pro' }
  | { act: 'consume'; of: number; units: number }
  | { act: 'return'; of: number }
  | { act: 'refund'; of: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ act: fc.constant('top-up' as const), usd: fc.integer({ min: 1, max: 400 }) }),
  fc.record({
    act: fc.constant('pay' as const),
    tier: fc.constantFrom('entry', 'standard', 'pro'),
  }),
  fc.record({
    act: fc.constant('consume' as const),
    of: fc.nat(5),
    units: fc.integer({ min: 1, max: 150 }),
  }),
  fc.record({ act: fc.constant('return' as const), of: fc.nat(5) }),
  fc.record({ act: fc.constant('refund' as const), of: fc.nat(7) }),
)

const prices = { entry: [49, 0], standard: [107, 8], pro: [269, 20] } as const
type Credit = { granted: number; fee: number; consumed: number; back: number; refunded: boolean }
/** The same money in another way: a wallet, below zero by its debt, and its credits; each act says whether it is allowed. */
type Model = { wallet: number; credits: Credit[]; topUps: { usd: number; refunded: boolean }[] }

function expectOf(model: Model, one: Step): boolean {
  const credit = 'of' in one ? model.credits[one.of] : undefined
  switch (one.act) {
    case 'top-up':
      model.wallet += one.usd
      model.topUps.push({ usd: one.usd, refunded: false })
      return true
    case 'pay': {
      const [granted, fee] = prices[one.tier]
      if (model.wallet < granted) return false
      model.wallet -= granted
      model.credits.push({ granted, fee, consumed: 0, back: 0, refunded: false })
      return true
    }
    case 'consume':
      if (credit === undefined || one.units > credit.granted - credit.consumed - credit.back)
        return false
      if (model.wallet < 0) return false
      credit.consumed += one.units
      return true
    case 'return':
      if (credit === undefined) return false
      model.wallet += credit.granted - credit.consumed - credit.back
      credit.back = credit.granted - credit.consumed
      return true
    case 'refund':
      return refundIn(model, one.of)
  }
}

/** Of the credits first, then of the top-ups. A wallet takes back what was consumed too, and owes what it spent. */
function refundIn(model: Model, of: number): boolean {
  const credit = model.credits[of]
  if (credit !== undefined) {
    if (!credit.refunded) model.wallet += credit.granted - credit.back
    credit.refunded = true
    credit.back = credit.granted - credit.consumed
    return true
  }
  const topped = model.topUps[of - model.credits.length]
  if (topped === undefined) return false
  if (topped.refunded) return true
  model.wallet -= topped.usd
  topped.refunded = true
  return true
}

type World = { agentId: string; walletId: string; paid: ReferenceRow[]; topUps: ReferenceRow[] }

async function act(world: World, one: Step): Promise<boolean> {
  const { agentId, walletId, paid, topUps } = world
  const reference = 'of' in one ? paid[one.of] : undefined
  const entitlementId = reference?.entitlement_id ?? ''
  switch (one.act) {
    case 'top-up':
      topUps.push(await topUp(deps, agentId, walletId, one.usd))
      return true
    case 'pay': {
      const bought = await quoted(deps, agentId, { tier: one.tier })
      paid.push(
        await present(deps, bought, {
          method: 'agent_allowance',
          payer: walletId,
          externalReference: '',
        }),
      )
      return true
    }
    case 'consume': {
      const use = {
        entitlementId,
        key: hex(8),
        units: one.units,
        kind: 'run_usage' as const,
        occurredAt: new Date(),
      }
      await transaction(deps.db, (tx) => consumeCredit(deps, tx, use))
      return true
    }
    case 'return':
      await transaction(deps.db, (tx) => returnUnused(deps, tx, entitlementId))
      return true
    case 'refund': {
      const refunded = reference ?? topUps[one.of - paid.length]
      const referenceId = refunded?.payment_reference_id ?? ''
      const taken = { referenceId, decidedBy: operator, reason: 'charged back' }
      await transaction(deps.db, (tx) => refundReference(deps, tx, taken))
      return true
    }
  }
}

/** Whether it was done; a refusal has to be one of money, and anything else is a fault. */
const done = (world: World, one: Step): Promise<boolean> =>
  act(world, one).catch((error: unknown) => {
    const codes = ['wallet_underfunded', 'credit_exhausted', 'not_found', 'wrong_state']
    if (error instanceof DomainError && codes.includes(error.refusal.code)) return false
    throw error
  })

async function newWorld(): Promise<World> {
  const agentId = newAgent()
  const { wallet_id } = await transaction(deps.db, (tx) => createWallet(tx, { agentId, label: '' }))
  return { agentId, walletId: wallet_id, paid: [], topUps: [] }
}

verifies(
  'money.books',
  'wallet and credit agree with arithmetic after any command sequence',
  async () => {
    const sequence = fc.array(step, { minLength: 5, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        const world = await newWorld()
        const model: Model = { wallet: 0, credits: [], topUps: [] }
        for (const one of [{ act: 'top-up', usd: 300 } as const, ...steps])
          expect([one, await done(world, one)]).toEqual([one, expectOf(model, one)])
        const accounts = await auditBooks(deps.db)
        const held = (kind: string) => accounts.get(`${kind}:${world.walletId}`) ?? 0
        expect([held('wallet'), held('debt')]).toEqual([
          Math.max(0, model.wallet),
          Math.min(0, model.wallet),
        ])
        for (const [index, { entitlement_id }] of world.paid.entries()) {
          const credit = model.credits[index] as Credit
          expect(accounts.get(`credit:${entitlement_id}`) ?? 0).toBe(
            credit.granted - credit.consumed - credit.back,
          )
          const row = await findEntitlement(deps.db, entitlement_id ?? '')
          expect(row).toMatchObject({
            consumed_units: credit.consumed,
            returned_units: credit.back,
          })
        }
      }),
      { numRuns: 20, interruptAfterTimeLimit: 60_000 },
    )
  },
)

verifies(
  'money.books',
  'parallel commands on one wallet leave balanced, positive accounts',
  async () => {
    const world = await newWorld()
    await topUp(deps, world.agentId, world.walletId, 2_000)
    for (let count = 0; count < 4; count += 1) await act(world, { act: 'pay', tier: 'pro' })
    const commands = Array.from({ length: 60 }, (_, index): Step => {
      const some = { of: index % 4, units: 1 + index }
      const cycle: Step[] = [
        { act: 'pay', tier: 'entry' },
        { act: 'top-up', usd: 10 },
        { act: 'return', ...some },
        { act: 'refund', ...some },
      ]
      return cycle[index % 5] ?? { act: 'consume', ...some }
    })
    await Promise.all(
      commands.map((one) => done({ ...world, paid: world.paid.slice(0, 4), topUps: [] }, one)),
    )
    const accounts = await auditBooks(deps.db)
    // Each of the four was refunded once, after all, and has nothing left; twelve more were paid, and twelve top-ups came in.
    for (const { entitlement_id } of world.paid.slice(0, 4))
      expect(accounts.get(`credit:${entitlement_id}`)).toBe(0)
    expect(accounts.get(`wallet:${world.walletId}`)).toBe(2_000 + 12 * 10 - 12 * 49)
  },
)

verifies('wallet.sql.limits', 'a debit outside the limits is never committed', async () => {
  const agentId = newAgent()
  const limits = { per_run_usd: 60, per_day_usd: 100, rails: ['packetops' as const] }
  const { wallet_id } = await transaction(deps.db, (tx) =>
    createWallet(tx, { agentId, label: '', limits }),
  )
  await topUp(deps, agentId, wallet_id, 1_000)
  const debit = async (units: number, rail = 'packetops') => {
    const [receipt, quote, entitlement] = ['rc', 'qt', 'en'].map((prefix) => `${prefix}_${hex(32)}`)
    await transaction(deps.db, async (tx) => {
      const run = (text: string) => sql.raw(text).execute(tx)
      await run(`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
        values ('${receipt}', '${receipt}', 0, 'settlement_receipt', 'j', 'k', 'p')`)
      await run(`insert into quotes (quote_id, bound_to, rail, tier, units, base_usd, rail_fee_usd, total_usd, pricing_model, provider_route, expires_at)
        values ('${quote}', '${agentId}', '${rail}', 'entry', 1, ${units}, 0, ${units}, 'm', '{}', now() + interval '1 hour')`)
      await run(`insert into entitlements (entitlement_id, quote_id, agent_id, rail, tier, state, granted_units, fee_units)
        values ('${entitlement}', '${quote}', '${agentId}', '${rail}', 'entry', 'pending', ${units}, 0)`)
      await run(`update entitlements set state = 'funded', source = 'wallet:${wallet_id}', settlement_receipt_id = '${receipt}'
        where entitlement_id = '${entitlement}'`)
      await run(`insert into postings (receipt_id, account, units)
        values ('${receipt}', 'credit:${entitlement}', ${units}), ('${receipt}', 'wallet:${wallet_id}', ${-units})`)
    })
  }
  const refused = { code: '23514', message: expect.stringContaining('may not pay') }
  await expect(debit(61)).rejects.toMatchObject(refused)
  await expect(debit(10, 'energyops')).rejects.toMatchObject(refused)
  await debit(60)
  const together = await Promise.allSettled([debit(40), debit(40), debit(40)])
  expect(together.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(debit(1)).rejects.toMatchObject(refused)
  await auditBooks(deps.db)
  await expect(debit(2_000)).rejects.toMatchObject({ code: '23514' })
})

verifies(
  'authority.payment.debit',
  'an authorized wallet pays once, however often it is presented',
  async () => {
    const world = await newWorld()
    await topUp(deps, world.agentId, world.walletId, 200)
    const bought = await quoted(deps, world.agentId)
    const wallet = {
      method: 'agent_allowance' as const,
      payer: world.walletId,
      externalReference: '',
    }
    const held = await present(deps, bought, {
      ...wallet,
      authorityType: 'agent_allowance_reference',
    })
    expect(held).toMatchObject({ state: 'presented', authority_type: 'agent_allowance_reference' })
    expect((await auditBooks(deps.db)).get(`wallet:${world.walletId}`)).toBe(200)
    const paid = await Promise.all(Array.from({ length: 8 }, () => present(deps, bought, wallet)))
    for (const one of paid)
      expect(one).toMatchObject({
        state: 'verified',
        payment_reference_id: held.payment_reference_id,
      })
    expect((await auditBooks(deps.db)).get(`wallet:${world.walletId}`)).toBe(93)
    const other = await present(deps, await quoted(deps, world.agentId), {
      ...wallet,
      authorityType: 'agent_allowance_reference',
    })
    await expect(
      present(
        deps,
        { ...bought, challenge: { ...bought.challenge, challenge_id: other.challenge_id ?? '' } },
        wallet,
      ),
    ).rejects.toMatchObject(refusal('wallet_underfunded'))

    await topUp(deps, world.agentId, world.walletId, 200)
    const late = await quoted(deps, world.agentId)
    await present(deps, late, { ...wallet, authorityType: 'agent_allowance_reference' })
    await lapse(deps, late.challenge.challenge_id)
    for (const _again of [1, 2])
      await expect(present(deps, late, wallet)).rejects.toMatchObject(refusal('challenge_expired'))
    expect((await auditBooks(deps.db)).get(`wallet:${world.walletId}`)).toBe(293)
  },
)
