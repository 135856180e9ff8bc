import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { settlesNothing } from '#domain/ap2/mandates.ts'
import { DomainError } from '#domain/core/errors.ts'
import { walletAccount } from '#domain/credit/credit.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { mandateChallenge } from '../../../activities/credit/presenting.ts'
import { presentTopUp } from '../../../activities/credit/top-ups.ts'
import { verifyReference } from '../../../activities/credit/verify-reference.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { readBalance } from '../../../activities/store/credit/postings.ts'
import { findAp2Issued, readAp2History } from '../../../activities/store/payments/ap2.ts'
import { listDueReferences } from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { issueAp2, revokeIssuedAp2 } from '../../../api/services/authority/ap2.ts'
import { verifies } from '../../verifies.ts'
import { keys, newChallenge, origin } from '../keys/treasury.ts'
import {
  inUsd,
  type Mandated,
  mandated as mandatedIn,
  operator,
  presenting as presentingIn,
  recurring,
} from './ap2-fixture.ts'
import { hex, lapse, present, quoted, refusal, startMoney } from './fixture.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

const mandated = (constraints?: Parameters<typeof mandatedIn>[1], holds?: number) =>
  mandatedIn(deps, constraints, holds)
const presenting = (by: Mandated, more: object = {}) => presentingIn(deps, by, more)

const paidUnder = async ({ mandate_id }: Mandated) => {
  const { rows } = await sql<{ spent: string | null; uses: number }>`
    select sum(amount_minor) as spent, count(*)::integer as uses from ap2_payments
    join ap2_mandates using (mandate_key) where mandate_id = ${mandate_id}`.execute(deps.db)
  return rows[0]
}

verifies(
  ['ap2.present', 'ap2.issue'],
  'a mandate pays from the wallet it names; a repeat spends once',
  async () => {
    const by = await mandated()
    const { one, pay } = await presenting(by)
    const rows = await Promise.allSettled([pay(), pay(), pay()])
    const [paid] = rows.flatMap((row) => (row.status === 'fulfilled' ? [row.value] : []))
    expect(paid).toMatchObject({ state: 'verified', decided_by: 'wallet', payer: by.wallet_id })
    expect((await pay()).payment_reference_id).toBe(paid?.payment_reference_id)
    expect(await readBalance(deps.db, walletAccount(by.wallet_id))).toBe(500 - 49)
    expect(await paidUnder(by)).toEqual({ spent: '4900', uses: 1 })
    expect((await findEntitlement(deps.db, one.entitlement.entitlement_id))?.state).toBe('funded')
  },
)

verifies(
  'money.ap2',
  'a payment consumes its challenge, and a mandate alone pays nothing',
  async () => {
    const by = await mandated()
    const { one, input, pay } = await presenting(by)
    const method = 'ap2_mandate_reference' as const
    const bare = present(deps, one, { method, externalReference: '', proof: input.proof })
    await expect(bare).rejects.toMatchObject(refusal('invalid_request'))
    const { agentId, wallet_id: walletId } = by
    const topUp = presentTopUp(deps, { ...input, agentId, walletId, amountUsd: 49 })
    await expect(topUp).rejects.toMatchObject(refusal('unsupported_request'))
    expect(await readBalance(deps.db, walletAccount(walletId))).toBe(500)
    await pay()
    const consumed = deps.db
      .selectFrom('replay_ledger')
      .select('kind')
      .where('subject', '=', one.challenge.challenge_id)
      .orderBy('kind')
    expect(await consumed.execute()).toEqual([{ kind: 'challenge_jti' }, { kind: 'kb_nonce' }])
  },
)

verifies('conform.merchant', 'checkouts of credit and of payouts name who sells them', async () => {
  const { challenge_id: id, amount_usd } = (await quoted(deps)).challenge
  const merchantOf = ({ checkout_jwt }: { checkout_jwt: string }) =>
    decodeCompact(checkout_jwt).payload['merchant']
  expect(merchantOf(await mandateChallenge(deps, { id, amount_usd }, 900))).toEqual({
    id: 'service-agent-rails',
    name: 'Service Agent Rails',
    website: origin,
  })
  expect(merchantOf(await newChallenge())).toEqual({
    id: 'service-payout-rail',
    name: 'Service Payout Rail',
    website: origin,
  })
})

verifies('ap2.issue', 'a repeat gives the first mandates, wrong terms are refused', async () => {
  const by = await mandated()
  expect(await by.issue()).toMatchObject({
    mandate_id: by.mandate_id,
    open_payment_mandate: by.open_payment_mandate,
    open_checkout_mandate: by.open_checkout_mandate,
  })
  const { ap2 } = by.asked
  const [recurrence, range, budget] = recurring(10)
  const wrong = [
    { ...ap2, expires_at: new Date(Date.now() - 1000).toISOString() },
    { ...ap2, expires_at: new Date(Date.now() + 91 * 86_400_000).toISOString() },
    { ...ap2, payment: { constraints: [recurrence!, range!] } },
    { ...ap2, payment: { constraints: [{ ...budget!, max: 0.001 }] } },
    { ...ap2, payment: { constraints: [{ ...range!, min: 100_001 }] } },
  ]
  for (const terms of wrong) {
    const asked = { idempotency_key: hex(8), ap2: terms as typeof ap2 }
    const issued = issueAp2({ ...deps, keys, origin }, operator, asked)
    await expect(issued).rejects.toMatchObject(refusal('limits_invalid'))
  }
})

verifies('ap2.present', 'an instrument that is no wallet settles nothing and expires', async () => {
  const by = await mandated()
  const card = { payment_instrument: { id: 'card_1', type: 'card' } }
  const { one, pay } = await presenting(by, card)
  const { payment_reference_id } = await pay()
  expect(await verifyReference(deps, payment_reference_id)).toMatchObject({
    state: 'pending',
    reason: settlesNothing,
  })
  expect(await readBalance(deps.db, walletAccount(by.wallet_id))).toBe(500)
  expect((await findEntitlement(deps.db, one.entitlement.entitlement_id))?.state).toBe('pending')
  const history = { mandateKey: await keyOf(by), currency: 'USD' }
  expect(await readAp2History(deps.db, history)).toMatchObject({ spent: 4900n })
  expect(await listDueReferences(deps.db, 0, 1000)).toContain(payment_reference_id)
  await lapse(deps, one.challenge.challenge_id)
  expect((await verifyReference(deps, payment_reference_id)).state).toBe('expired')
  expect(await readAp2History(deps.db, history)).toMatchObject({ spent: 0n, occurrences: 0 })
})

const keyOf = async ({ mandate_id }: Mandated) =>
  (await findAp2Issued(deps.db, mandate_id))?.mandate_key ?? ''
verifies('ap2.present', 'what the mandate does not permit pays nothing', async () => {
  const by = await mandated()
  const other = await mandated()
  const cases: [object, string][] = [
    [{ payment_amount: inUsd(48) }, 'amount_mismatch'],
    [{ payment_amount: { amount: 4900, currency: 'EUR' } }, 'amount_mismatch'],
    [{ transaction_id: 'x' }, 'request_digest_mismatch'],
    [{ payee: { id: 'shop', name: 'Shop' } }, 'authority_denied'],
    [{ execution_date: '2020-01-01' }, 'authority_denied'],
    [{ payment_instrument: { id: other.wallet_id, type: 'allowance_wallet' } }, 'not_owner'],
  ]
  for (const [change, code] of cases)
    await expect((await presenting(by, change)).pay()).rejects.toMatchObject(refusal(code))
  const { input } = await presenting(by)
  const elsewhere = await quoted(deps, by.agentId, { tier: 'entry' })
  const moved = present(deps, elsewhere, input)
  await expect(moved).rejects.toMatchObject(refusal('request_digest_mismatch'))
  const stolen = await presenting({ ...by, agentId: other.agentId, wallet_id: other.wallet_id })
  await expect(stolen.pay()).rejects.toMatchObject(refusal('authority_denied'))
  const crossed = { ...by, open_checkout_mandate: other.open_checkout_mandate }
  await expect((await presenting(crossed)).pay()).rejects.toMatchObject(refusal('authority_denied'))
  expect(await paidUnder(by)).toEqual({ spent: null, uses: 0 })
  expect(await readBalance(deps.db, walletAccount(by.wallet_id))).toBe(500)
})

verifies('ap2.budget', 'a mandate without recurrence pays once', async () => {
  const by = await mandated([])
  const [first, second] = [await presenting(by), await presenting(by)]
  const settled = await Promise.allSettled([first.pay(), second.pay()])
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await paidUnder(by)).toEqual({ spent: '4900', uses: 1 })
})

verifies('ap2.budget', '100 parallel presentations end exactly at the budget', async () => {
  const by = await mandated(recurring(490), 4900)
  const all = await Promise.all(Array.from({ length: 100 }, () => presenting(by)))
  const settled = await Promise.allSettled(all.map(({ pay }) => pay()))
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(settled.length - refused.length).toBe(10)
  for (const reason of refused)
    expect(reason instanceof DomainError && reason.refusal.detail).toContain('payment.budget')
  expect(await paidUnder(by)).toEqual({ spent: '49000', uses: 10 })
  expect(await readBalance(deps.db, walletAccount(by.wallet_id))).toBe(4900 - 490)
})

verifies('ap2.revoke', 'no payment commits after a revocation', async () => {
  const by = await mandated(recurring(4900), 4900)
  const all = await Promise.all(Array.from({ length: 10 }, () => presenting(by)))
  const revoking = { mandateId: by.mandate_id, by: operator.name, reason: 'lost key' }
  const first = all.slice(0, 5).map(({ pay }) => pay())
  await Promise.race(first)
  const revoke = transaction(deps.db, (tx) => revokeIssuedAp2(tx, revoking))
  const payments = [...first, ...all.slice(5).map(({ pay }) => pay())]
  const settled = await Promise.allSettled(payments)
  expect(await revoke).toBe(true)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of refused) expect(reason).toMatchObject(refusal('authority_denied'))
  const uses = 10 - refused.length
  expect(uses > 0 && uses < 10, `${uses} of 10 were paid`).toBe(true)
  expect(await paidUnder(by)).toEqual({ spent: String(4900 * uses), uses })
  const { rows } = await sql<{ late: number }>`select count(*)::integer as late from ap2_payments
    join ap2_mandates using (mandate_key)
    where mandate_id = ${by.mandate_id} and paid_at > revoked_at`.execute(deps.db)
  expect(rows).toEqual([{ late: 0 }])
  await expect((await presenting(by)).pay()).rejects.toMatchObject(refusal('authority_denied'))
  expect(await transaction(deps.db, (tx) => revokeIssuedAp2(tx, revoking))).toBe(true)
})

verifies('ap2.guards', 'SQL refuses what the mandate does not permit', async () => {
  const by = await mandated(recurring(98))
  const { pay } = await presenting(by)
  const { payment_reference_id } = await pay()
  const insert = (change: string) =>
    sql
      .raw(`insert into ap2_payments select ${change} from ap2_payments p
      where payment_reference_id = '${payment_reference_id}'`)
      .execute(deps.db)
  const columns = (amount: string, nonce = `'${hex(8)}'`) =>
    `(select payment_reference_id from payment_references r where not exists
      (select 1 from ap2_payments a where a.payment_reference_id = r.payment_reference_id) limit 1),
      mandate_key, ${nonce}, closed_hash, transaction_id, ${amount}, currency, instrument_type, instrument_id, paid_at`
  await expect(insert(columns('4901'))).rejects.toThrow(/exceeds the budget/)
  await expect(insert(columns('1', 'nonce'))).rejects.toThrow(/unique/)
  const change = (text: string) => sql.raw(text).execute(deps.db)
  await expect(change('update ap2_payments set amount_minor = 1')).rejects.toThrow(/stays/)
  await expect(change('delete from ap2_payments')).rejects.toThrow(/stays/)
  await expect(change('update ap2_mandates set budget_minor = 1')).rejects.toThrow(/do not change/)
  await transaction(deps.db, (tx) =>
    revokeIssuedAp2(tx, { mandateId: by.mandate_id, by: 'operator', reason: 'over' }),
  )
  await expect(insert(columns('1'))).rejects.toThrow(/not in force/)
  await expect(change('update ap2_mandates set revoked_at = null')).rejects.toThrow()
  const once = await mandated([])
  const paid = await (await presenting(once)).pay()
  const again = columns('1')
  await expect(
    sql
      .raw(`insert into ap2_payments select ${again} from ap2_payments p
      where payment_reference_id = '${paid.payment_reference_id}'`)
      .execute(deps.db),
  ).rejects.toThrow(/used up/)
})
