import { afterAll, beforeAll, expect } from 'vitest'
import { vcts } from '#domain/ap2/mandates.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { signOpenMandate } from '../../../activities/keys/ap2-chain.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { loadTrustAnchors } from '../../../activities/keys/trust-anchors.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { revokeIssuedAp2 } from '../../../api/services/authority/ap2.ts'
import { Ap2Inspection } from '../../../api/services/authority/ap2-inspection.ts'
import { agentKeys, hashOf } from '../../support/ap2.ts'
import { keyStatus } from '../../support/key-status.ts'
import { verifies } from '../../verifies.ts'
import { nowSeconds } from '../keys/treasury.ts'
import { inUsd, type Mandated, mandated, operator, presenting, recurring } from './ap2-fixture.ts'
import { refusal, startMoney } from './fixture.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
beforeAll(async () => {
  ;({ deps, stop } = await startMoney())
})
afterAll(() => stop?.())

type Presented = Parameters<Ap2Inspection['inspect']>[0]
const inspect = (presented: Presented, agentId?: string) =>
  new Ap2Inspection(deps).inspect(presented, agentId)
type Inspected = Awaited<ReturnType<typeof inspect>>

const opened = (by: Mandated): Presented => ({
  payment: by.open_payment_mandate,
  checkout: by.open_checkout_mandate,
})
/** Both mandates closed for a new quote of 49 usd, and the challenge. */
async function closed(by: Mandated, more: object = {}) {
  const made = await presenting(deps, by, more)
  const { presentation, checkout_presentation } = made.input.evidence
  const presented: Presented = {
    payment: presentation,
    checkout: checkout_presentation,
    challenge_token: made.input.proof.challenge_token,
  }
  return { ...made, presented }
}
const failed = ({ checks }: Inspected) => checks.filter(({ ok }) => !ok).map(({ check }) => check)
const broken = ({ constraints }: Inspected) =>
  constraints.filter(({ verdict }) => verdict === 'broken').map(({ constraint }) => constraint)
const verdictOf = ({ constraints }: Inspected, name: string) =>
  constraints.find(({ constraint }) => constraint === name)?.verdict

verifies('ap2.inspect', 'open mandates are decoded, and what needs closing waits', async () => {
  const by = await mandated(deps)
  const seen = await inspect(opened(by), by.agentId)
  expect(seen).toMatchObject({ valid: true, state: 'active' })
  expect(seen.mandates.open_payment?.constraints[1]).toEqual(recurring(490)[1])
  expect(seen.mandates).toMatchObject({ payment: null, checkout: null })
  expect(seen.key).toMatchObject({ standing: 'active', revoked_at: null })
  expect(seen.budget).toEqual({
    currency: 'USD',
    total: '490.00',
    spent: '0.00',
    left: '490.00',
    uses: 0,
    uses_max: null,
    last_paid_at: null,
  })
  expect(seen.constraints.map(({ constraint, verdict }) => [constraint, verdict])).toEqual([
    ['payment.agent_recurrence', 'met'],
    ['payment.amount_range', 'not_judged'],
    ['payment.budget', 'met'],
    ['payment.reference', 'met'],
    ['checkout.line_items', 'not_judged'],
  ])
  for (const { rule } of seen.constraints) expect(rule).not.toBe('')
  const alone = await inspect({ payment: by.open_payment_mandate })
  expect(verdictOf(alone, 'payment.reference')).toBe('not_judged')
})

verifies('ap2.inspect', 'a closed chain is judged whole and can still pay', async () => {
  const by = await mandated(deps)
  const { presented, pay } = await closed(by)
  const seen = await inspect(presented, by.agentId)
  expect([failed(seen), broken(seen), seen.valid]).toEqual([[], [], true])
  expect(seen.constraints.every(({ verdict }) => verdict === 'met')).toBe(true)
  expect(seen.mandates.payment).toMatchObject({ payment_amount: inUsd(49) })
  expect(await inspect(presented)).toEqual(seen)
  expect(await pay()).toMatchObject({ state: 'verified' })
  const after = await inspect(presented, by.agentId)
  expect(failed(after)).toEqual(['presentation_unused'])
  expect(after.budget).toMatchObject({ spent: '49.00', left: '441.00', uses: 1 })
  expect(after.valid).toBe(false)
})

verifies('ap2.inspect', 'another holder, nonce, amount or checkout is named', async () => {
  const by = await mandated(deps)
  const { presented } = await closed(by)
  const stranger = agentKeys().jwk
  const other = await mandated(deps)
  const others = await closed(other)
  const [, theirs = ''] = others.presented.payment.split('~~')
  const [open = ''] = presented.payment.split('~~')
  expect(stranger).not.toEqual(by.asked.ap2.agent_key)
  const swapped = await inspect({ ...presented, payment: `${open}~~${theirs}` })
  expect(failed(swapped)).toContain('payment.holder')
  const nonce = await inspect({
    ...presented,
    challenge_token: String(others.presented.challenge_token),
  })
  expect(failed(nonce)).toEqual(['payment.holder', 'checkout.holder'])
  const elsewhere = await closed(by, { transaction_id: 'another' })
  expect(failed(await inspect(elsewhere.presented))).toEqual(['payment_for_checkout'])
  const dear = await closed(by, { payment_amount: inUsd(1001) })
  const seen = await inspect(dear.presented)
  expect(broken(seen)).toEqual(['payment.amount_range', 'payment.budget'])
  expect(seen.valid).toBe(false)
  const refused = inspect(presented, other.agentId)
  await expect(refused).rejects.toMatchObject(refusal('not_owner'))
})

verifies('ap2.inspect', 'a used budget, a single use and a revocation are states', async () => {
  const spent = await mandated(deps, recurring(49))
  await (await closed(spent)).pay()
  const used = await inspect(opened(spent), spent.agentId)
  expect([used.state, broken(used), used.valid]).toEqual(['exhausted', ['payment.budget'], false])
  const over = await inspect((await closed(spent)).presented)
  expect(broken(over)).toEqual(['payment.budget'])

  const once = await mandated(deps, [])
  await (await closed(once)).pay()
  const twice = await inspect(opened(once))
  expect([twice.state, broken(twice)]).toEqual(['exhausted', ['payment.agent_recurrence']])

  const by = await mandated(deps)
  const { mandate_id: mandateId } = by
  await transaction(deps.db, (tx) =>
    revokeIssuedAp2(tx, { mandateId, by: operator.name, reason: 'the work is done' }),
  )
  const revoked = await inspect(opened(by), by.agentId)
  expect([revoked.state, failed(revoked), revoked.valid]).toEqual([
    'revoked',
    ['mandate_revoked'],
    false,
  ])
})

verifies('ap2.inspect', 'what is not genuine is decoded and finds no rows', async () => {
  const by = await mandated(deps)
  const [jwt = '', ...rest] = by.open_payment_mandate.split('~')
  const [head = '', body = '', signature = ''] = jwt.split('.')
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  const forged = [[head, body, flipped].join('.'), ...rest].join('~')
  const seen = await inspect({ payment: forged })
  expect(seen).toMatchObject({ valid: false, key: null, budget: null })
  expect(failed(seen)).toEqual(['payment.signature'])
  expect(seen.mandates.open_payment?.vct).toBe('mandate.payment.open.1')
  for (const nonsense of ['x', '~', 'a.b.c~', 'x~~y~', `${'a'.repeat(20_000)}~`, 'a.b.c~~a.b.c~'])
    expect(await inspect({ payment: nonsense }), nonsense).toMatchObject({
      valid: false,
      state: null,
      constraints: [],
    })
  const mixed = await inspect({ payment: by.open_checkout_mandate })
  expect(failed(mixed)).toEqual(['payment.form', 'payment.signature'])
})

/** Open mandates of an issuer that is trusted here, for the key of the agents; no row says which agent they are for. */
async function foreign(by: Mandated) {
  const rings = keyRings(generateSigningKeys(new Date()))
  const iss = 'https://issuer.example'
  const key = keyStatus(rings, nowSeconds).signer('authority')
  const exp = Math.floor(Date.now() / 1000) + 3_600
  const shared = { cnf: { jwk: by.asked.ap2.agent_key }, iat: nowSeconds, exp }
  const open_checkout_mandate = await signOpenMandate(key, {
    iss,
    mandate: { vct: vcts.openCheckout, ...by.asked.ap2.checkout, ...shared },
  })
  const reference = {
    type: 'payment.reference' as const,
    conditional_transaction_id: hashOf(open_checkout_mandate),
  }
  const constraints = [...recurring(490), reference]
  const open_payment_mandate = await signOpenMandate(key, {
    iss,
    mandate: { vct: vcts.openPayment, constraints, ...shared },
  })
  const trusted = loadTrustAnchors({ authority: rings.authority, issuer: iss, path: '' })
  const { authority } = deps
  const anchors = [...authority.anchors, ...trusted]
  const trusting = { ...deps, authority: { ...authority, anchors } }
  const { input, pay } = await presenting(trusting, {
    ...by,
    open_checkout_mandate,
    open_payment_mandate,
  })
  const { presentation: payment } = input.evidence
  const look = (presented: Presented, agentId?: string) =>
    new Ap2Inspection(trusting).inspect(presented, agentId)
  const { challenge_token } = input.proof
  return { open: open_payment_mandate, payment, challenge_token, look, pay }
}

verifies('ap2.inspect', 'only who paid or holds the key sees what was paid', async () => {
  const by = await mandated(deps)
  const { open, payment, challenge_token, look, pay } = await foreign(by)
  const other = (await mandated(deps)).agentId
  const unusedYet = await look({ payment: open }, other)
  expect([failed(unusedYet), unusedYet.state]).toEqual([[], 'active'])
  expect(await pay()).toMatchObject({ state: 'verified' })
  const spent = { spent: '49.00', left: '441.00', uses: 1 }
  expect(await look({ payment: open }, by.agentId)).toMatchObject({ budget: spent })
  expect(await look({ payment: open })).toMatchObject({ budget: spent })
  expect(await look({ payment, challenge_token }, other)).toMatchObject({ budget: spent })
  const elsewhere = (await closed(by)).presented.challenge_token
  for (const copied of [
    { payment: open },
    { payment },
    { payment, challenge_token: elsewhere },
    { payment, challenge_token: `${challenge_token}x` },
  ]) {
    const seen = await look(copied, other)
    expect(seen).toMatchObject({ budget: null, state: null })
    expect(verdictOf(seen, 'payment.budget')).toBe('not_judged')
    expect(verdictOf(seen, 'payment.agent_recurrence')).toBe('not_judged')
  }
})

verifies('ap2.inspect', 'a nonce is looked up only for the holder', async () => {
  const by = await mandated(deps)
  const { presented, pay } = await closed(by)
  await pay()
  const [open = ''] = presented.payment.split('~~')
  const [, theirs = ''] = presented.payment.split('~~')
  const another = await mandated(deps)
  const names = ({ checks }: Inspected) => checks.map(({ check }) => check)
  expect(names(await inspect({ payment: `${open}~~${theirs}` }))).toContain('presentation_unused')
  const swapped = await inspect({ payment: `${another.open_payment_mandate}~${theirs}` })
  expect(failed(swapped)).toEqual(['payment.holder'])
  expect(names(swapped)).not.toContain('presentation_unused')
})
