import { expect } from 'vitest'
import { OpenPaymentMandate, PaymentMandate } from '#domain/ap2/mandates.ts'
import { signOpenMandate } from '../../../activities/keys/ap2-chain.ts'
import { inspectChain } from '../../../activities/keys/ap2-inspect.ts'
import { currentAnchors } from '../../../activities/keys/key-status.ts'
import { agentKeys, closeMandate } from '../../support/ap2.ts'
import { verifies } from '../../verifies.ts'
import { anchors, nowSeconds, origin, standingKeys } from './treasury.ts'

const agent = agentKeys()
const audience = 'https://svc.example/pay'
const nonce = 'n'.repeat(22)
const shop = { id: 'shop', name: 'Shop' }
const openPayment = {
  vct: 'mandate.payment.open.1' as const,
  constraints: [{ type: 'payment.reference', conditional_transaction_id: 'x' }],
  cnf: { jwk: agent.jwk },
  iat: nowSeconds - 10,
  exp: nowSeconds + 1000,
}
const closedPayment = {
  vct: 'mandate.payment.1',
  transaction_id: 'tx',
  payee: shop,
  payment_amount: { amount: 4900, currency: 'USD' },
  payment_instrument: { id: `aw_${'1'.repeat(64)}`, type: 'allowance_wallet' },
}
const trusted = currentAnchors(anchors, origin, standingKeys)
const context = { anchors: trusted, nowSeconds, audience, nonce }
const open = () =>
  signOpenMandate(standingKeys.signer('authority'), { iss: origin, mandate: openPayment })
const closing = { key: agent.privateKey, aud: audience, nonce, iat: nowSeconds }
const inspect = (presentation: string, more: Partial<typeof context> = {}) =>
  inspectChain(
    presentation,
    { open: OpenPaymentMandate, closed: PaymentMandate },
    { ...context, ...more },
  )
const failed = ({ checks }: ReturnType<typeof inspect>) =>
  checks.filter(({ ok }) => !ok).map(({ check, detail }) => `${check}: ${detail.split(':')[0]}`)

verifies('ap2.inspect', 'each check of a chain is judged by itself', async () => {
  const good = closeMandate(await open(), closedPayment, closing)
  const seen = inspect(good)
  expect(seen.checks.map(({ check, ok }) => [check, ok])).toEqual([
    ['form', true],
    ['signature', true],
    ['key_standing', true],
    ['time', true],
    ['holder', true],
  ])
  expect(seen).toMatchObject({ open: openPayment, closed: closedPayment, nonce })
  const stranger = { ...closing, key: agentKeys().privateKey }
  const wrong = inspect(closeMandate(await open(), closedPayment, stranger))
  expect(failed(wrong)).toEqual(['holder: key_binding_invalid'])
  expect(wrong.closed).toEqual(closedPayment)
  const old = inspect(
    closeMandate(await open(), closedPayment, { ...closing, iat: nowSeconds - 301 }),
  )
  expect(failed(old)).toEqual(['holder: key_binding_expired'])
})

verifies('ap2.inspect', 'an expired mandate and an ended key are named, not hidden', async () => {
  const mandate = await open()
  const later = inspect(mandate, { nowSeconds: nowSeconds + 1000 })
  expect(failed(later)).toEqual(['time: mandate_invalid'])
  expect(later.open).toEqual(openPayment)
  const withTimes = (times: object) => trusted.map((anchor) => ({ ...anchor, ...times }))
  const revoked = inspect(mandate, { anchors: withTimes({ revokedAt: nowSeconds }) })
  expect(failed(revoked)).toEqual(['key_standing: mandate_invalid'])
  const before = inspect(mandate, { anchors: withTimes({ retiredAt: nowSeconds - 20 }) })
  expect(failed(before)).toEqual(['key_standing: mandate_invalid'])
  const after = inspect(mandate, { anchors: withTimes({ retiredAt: nowSeconds }) })
  expect(failed(after)).toEqual([])
  const foreign = inspect(mandate, { anchors: [] })
  expect(failed(foreign)).toEqual(['signature: issuer_untrusted'])
  expect([foreign.read, foreign.open]).toEqual([undefined, openPayment])
})
